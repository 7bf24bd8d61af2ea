/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What else an entry of the host has besides type, name and contents.
 */
#ifndef F2FSKIT_TASK_POPULATE_HOST_H
#define F2FSKIT_TASK_POPULATE_HOST_H

#include "task/populate.h"

/* Add the attributes, flags and project id of a name in directory at to the item at hand; fd is open on it, or -1. What
 * cannot be read is a problem. */
int populate_host_attributes(struct populate *p, int at, const char *name, int fd, struct populate_item *item);

#endif
