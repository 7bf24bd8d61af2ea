/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy trees between the host and the volume.
 */
#ifndef F2FSKIT_EDIT_TRANSFER_H
#define F2FSKIT_EDIT_TRANSFER_H

#include "edit/run.h"

/* Copy a directory of the host, with all that is in it, to a name or into a directory of the volume. */
int edit_put_tree(struct edit *e, const char *source, const char *operand, int keeps_owner);
/* Copy a directory of the volume into a directory of the host, or to a new one; NULL: the current one. */
int edit_get_tree(struct edit *e, struct f2fs_inode *inode, const char *source, const char *operand);

#endif
