/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From devices and options to the input of the planner, and from its verdict to an error that helps.
 */
#ifndef F2FSKIT_MKFS_PLAN_H
#define F2FSKIT_MKFS_PLAN_H

#include "mkfs/run.h"

/* Plan without forgetting the last error first. */
int mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
	      const struct f2fs_mkfs_options *options, struct f2fs_layout *out);

#endif
