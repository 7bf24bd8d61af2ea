/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rehearse in memory, to find errors in keys or in the source before overwriting anything.
 */
#ifndef F2FSKIT_MKFS_REHEARSE_H
#define F2FSKIT_MKFS_REHEARSE_H

#include "arguments.h"

/* Make a volume in memory with the features asked for, encrypt its directory, and begin to copy. A source that can be
 * read only once is left alone. 0, or -1 after a message. */
int rehearse(struct cli *cli, struct f2fs_context *ctx, struct arguments *a);

#endif
