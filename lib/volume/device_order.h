/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out whether the devices of a volume were given in their order.
 */
#ifndef F2FSKIT_VOLUME_DEVICE_ORDER_H
#define F2FSKIT_VOLUME_DEVICE_ORDER_H

#include "volume/volume.h"

/*
 * Look at some nodes on each further device, or blocks of directories. Fails with INVALID when they are on another one,
 * which proves the order wrong. Devices without any of the nodes that should be there are noted in
 * vol->strange_devices: damage, or a device of somebody else. Where files have zeros on a device without such blocks,
 * and another device has something at their places, a note asks.
 */
int device_order_check(struct f2fs_volume *vol);
/* Open one device of a volume alone, up to the end of its part of the volume. */
int device_order_open(struct f2fs_volume *vol, unsigned number, struct f2fs_device **out);

#endif
