/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy deleted files to a directory of the host.
 */
#ifndef F2FSKIT_UNDELETE_HOST_COPY_H
#define F2FSKIT_UNDELETE_HOST_COPY_H

#include "undelete/undelete_run.h"

int undelete_host_open(struct undelete *u);
int undelete_host_put(struct undelete *u, const struct f2fs_deleted *file);
/* Set the attributes of directories and close everything. */
void undelete_host_close(struct undelete *u);

#endif
