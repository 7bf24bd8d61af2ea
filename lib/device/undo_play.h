/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Play an undo file back.
 */
#ifndef F2FSKIT_DEVICE_UNDO_PLAY_H
#define F2FSKIT_DEVICE_UNDO_PLAY_H

#include "device/device.h"

/* Play back to target, which is parts[0], or all parts in a row. */
int undo_play(struct f2fs_device *log, struct f2fs_device *target, struct f2fs_device *const *parts, unsigned count,
	      int force, struct f2fs_undo_info *info);

#endif
