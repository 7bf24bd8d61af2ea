/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rehearse a repair in memory for a check that could find more.
 */
#ifndef F2FSKIT_REPAIR_REHEARSAL_H
#define F2FSKIT_REPAIR_REHEARSAL_H

#include <f2fskit/check.h>

#include "base/context.h"

struct f2fs_device;

/* Check, and if a repair could find more, rehearse it in memory. */
int check_rehearsed(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		    struct f2fs_check_result *result);

#endif
