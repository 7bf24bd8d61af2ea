/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Holes of a device, for those who read it from front to back: the extent that was asked for last is kept, since asking
 * is slow on some hosts.
 */
#ifndef F2FSKIT_DEVICE_EXTENTS_H
#define F2FSKIT_DEVICE_EXTENTS_H

#include "device/device.h"

struct holes {
	struct f2fs_device *dev;
	uint64_t start, end; /* bytes of the extent that is kept */
	bool is_hole;
};

/* Bytes from offset to the end of the hole there; 0: it is none, or the device does not know. Sets no error. */
uint64_t holes_at(struct holes *holes, uint64_t offset);

#endif
