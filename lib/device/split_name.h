/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of the parts of a split file: image.001, image.002; image.aa, image.ab; userdata_1.img, userdata_2.img.
 */
#ifndef F2FSKIT_DEVICE_SPLIT_NAME_H
#define F2FSKIT_DEVICE_SPLIT_NAME_H

#include "device/device.h"

/* The place of a part's number in a name: length bytes from start. */
struct split_number {
	size_t start, length;
};

/* Is a name that of the first part of a split raw file: an extension .000, .001 or .aa? */
bool split_name_is_raw(const char *name, struct split_number *number);
/* Is it that of the first part of a split sparse file: its last number is 0 or 1? */
bool split_name_is_sparse(const char *name, struct split_number *number);
/* Make a copy of the name of the part that follows. Free it with mem_free(). NULL: there is no such name, or memory is
 * short, which is recorded. number is that of the copy then. */
char *split_name_next(struct f2fs_context *ctx, const char *name, struct split_number *number);
/* Open the part of that name for reading. F2FS_ERR_NOT_FOUND: there is none. Fails with INVALID when a later part is
 * there and this one is not. */
int split_name_open(struct f2fs_context *ctx, const char *name, const struct split_number *number,
		    struct f2fs_device **out);

#endif
