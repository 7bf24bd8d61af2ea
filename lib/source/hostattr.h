/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Attributes, flags and project ids of files of the host.
 */
#ifndef F2FSKIT_SOURCE_HOSTATTR_H
#define F2FSKIT_SOURCE_HOSTATTR_H

#include "source/source.h"

/*
 * Add the attributes, flags and project id of a name in directory at to the current item. fd is open on it, or -1.
 * Unreadable ones are a problem.
 */
int host_attributes(struct source *src, int at, const char *name, int fd, struct source_item *item);
/* Is it certain that a name in directory at has no extended attributes? fd is open on it, or -1. Any thread may ask. */
bool host_has_no_attributes(int at, const char *name, int fd);
/* Add the flags and project id alone. */
void host_flags(const struct source *src, int at, const char *name, int fd, struct source_item *item);

#endif
