/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a new volume from a directory (--root-dir).
 */
#ifndef F2FSKIT_MKFS_FILL_H
#define F2FSKIT_MKFS_FILL_H

#include "arguments.h"

/* Copy the directory into the volume just made on the devices. 0, 1 when some entries could not be copied (named), -1
 * after a message. */
int fill_volume(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
		const struct f2fs_mkfs_device *devices);

#endif
