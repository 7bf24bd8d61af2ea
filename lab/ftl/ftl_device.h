/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A flash model as a device. Contents go to another device, or nowhere.
 */
#ifndef F2FSKIT_LAB_FTL_DEVICE_H
#define F2FSKIT_LAB_FTL_DEVICE_H

#include "ftl.h"

/*
 * Make a device of a model: it counts writes, reads and discards, and contents go to inner (of which the device keeps a
 * reference) or, when inner is NULL, nowhere: then it is bytes long and reads as zeros. With inner, its size is taken.
 * *ftl belongs to the device, and is valid until the device is closed.
 */
int ftl_device_open(struct f2fs_context *ctx, const char *text, struct f2fs_device *inner, uint64_t bytes,
		    struct ftl **ftl, struct f2fs_device **out);

#endif
