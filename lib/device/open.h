/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open and create devices by path.
 */
#ifndef F2FSKIT_DEVICE_OPEN_H
#define F2FSKIT_DEVICE_OPEN_H

#include "device/device.h"

/* f2fs_device_open() without clearing the last error. */
int device_open_host(struct f2fs_context *ctx, const char *path, unsigned flags, struct f2fs_device **out);
/* A flag of device_create() beside those of enum f2fs_device_flag: a new file is for its owner alone. */
#define DEVICE_PRIVATE 0x10000u
int device_create(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags, struct f2fs_device **out);

#endif
