/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build the input of the planner from devices and options, and a helpful error from its verdict.
 */
#ifndef F2FSKIT_MKFS_PLAN_H
#define F2FSKIT_MKFS_PLAN_H

#include "mkfs/run.h"

/* Plan without forgetting the last error first. */
int mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
	      const struct f2fs_mkfs_options *options, struct f2fs_layout *out);

#endif
