/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check and repair in rounds.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_DRIVER_H
#define F2FSKIT_REPAIR_REPAIR_DRIVER_H

#include <f2fskit/check.h>

#include "base/context.h"

struct f2fs_device;

/* Check and repair in rounds. */
int repair_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		  struct f2fs_check_result *result);
/* The same as a check: dev is a layer in memory, the result is about the volume as it was. */
int repair_rehearse(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result);

#endif
