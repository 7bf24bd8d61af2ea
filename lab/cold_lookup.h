/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look-ups by a reader that has nothing of the volume in memory but its checkpoint.
 */
#ifndef F2FSKIT_LAB_COLD_LOOKUP_H
#define F2FSKIT_LAB_COLD_LOOKUP_H

#include "lab/meter.h"

/*
 * Open the volume on dev as the last checkpoint has it, and find a path. *blocks gets the blocks that the meter of dev
 * saw for the look-up, without those for opening. An error code, which the context explains.
 */
int lab_cold_lookup(struct f2fs_context *ctx, struct f2fs_device *dev, const struct lab_meter *meter, const char *path,
		    uint64_t *blocks);

#endif
