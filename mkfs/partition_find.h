/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The partition to format (--partition).
 */
#ifndef F2FSKIT_MKFS_PARTITION_FIND_H
#define F2FSKIT_MKFS_PARTITION_FIND_H

#include "arguments.h"

/* Set offset and room of the arguments to those of the partition that they name. Returns 0, or -1 after a message. */
int partition_find(struct cli *cli, struct f2fs_context *ctx, struct arguments *a);

#endif
