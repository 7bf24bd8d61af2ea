/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a new volume (--root-dir, --manifest).
 */
#ifndef F2FSKIT_MKFS_FILL_H
#define F2FSKIT_MKFS_FILL_H

#include "arguments.h"

/* Complete the options of filling from the other arguments. */
void fill_prepare(const struct cli *cli, struct arguments *a);
/* Set the size of the volume to the smallest that holds its contents; -1 after a message. */
int fill_size(struct cli *cli, struct f2fs_context *ctx, struct arguments *a);
/* Will it all fit into a volume on one device? 0 also when that cannot be known; -1 after a message. */
int fill_fits(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *device);
/* Make the directory that is to be filled, and encrypt it with the first key (--encrypt). 0, or an error after a
 * message. */
int fill_encrypt(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_volume *vol);
/* Copy the source that the arguments name into the volume just made on the devices. 0, 1 when some entries could not be
 * copied (named), -1 after a message. */
int fill_volume(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *devices);

#endif
