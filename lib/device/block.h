/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make devices of block devices of the host.
 */
#ifndef F2FSKIT_DEVICE_BLOCK_H
#define F2FSKIT_DEVICE_BLOCK_H

#include "device/device.h"

/* Make a device of an open block device; the descriptor backing (struct hostfile) is the device's on success, too. */
int block_make_device(struct f2fs_context *ctx, const char *path, int fd, uint32_t caps, int backing,
		      struct f2fs_device **out);

#endif
