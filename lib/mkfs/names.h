/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The texts of a new volume.
 */
#ifndef F2FSKIT_MKFS_NAMES_H
#define F2FSKIT_MKFS_NAMES_H

#include "mkfs/run.h"

/* Check label, stamp, extension lists and alias names: all that needs no layout. */
int mkfs_check_names(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
		     const struct f2fs_mkfs_options *options);
/* Fill the superblock's label and extension lists. */
int mkfs_fill_names(struct mkfs *m);

#endif
