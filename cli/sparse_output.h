/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse images (-S): the volume is made in memory, or over another device, then written as a sparse file. The
 * file has all written and zeroed ranges. The rest is "don't care" and keeps the old contents of the flash that
 * receives the image.
 */
#ifndef F2FSKIT_CLI_SPARSE_OUTPUT_H
#define F2FSKIT_CLI_SPARSE_OUTPUT_H

#include "cli/host.h"

#include <f2fskit/device.h>

/* A device in memory that remembers zeroed ranges. */
int sparse_output_new(struct f2fs_context *ctx, uint64_t size, struct f2fs_device **out);
/* An image that is changed: what nobody cares for may be anything on the flash, so it counts as a hole, which reads as
 * zeros for sure, only while the image is saved. */
struct sparse_change {
	int is_changed; /* becomes 1 with each change */
	int is_saving;	/* the caller's */
};
/* The same over a device, which is taken over, also on failure; its holes stay what nobody cares for. change: NULL is
 * allowed. */
int sparse_output_over(struct f2fs_context *ctx, struct f2fs_device *inner, struct sparse_change *change,
		       struct f2fs_device **out);
/* Write it to a new file, durably (with force: also over an old one). Returns 0, or -1 after a message. */
int sparse_output_save(struct cli *cli, struct f2fs_context *ctx, struct f2fs_device *dev, uint32_t block_size,
		       const char *path, int force);

#endif
