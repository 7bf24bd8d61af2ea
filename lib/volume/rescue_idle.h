/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Use other traces of the time after the checkpoint, when the newest pack is lost.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_IDLE_H
#define F2FSKIT_VOLUME_RESCUE_IDLE_H

#include "volume/volume.h"

/* The newest pack is lost: note the addresses in the idle copies of the NAT for the scan (rescue_idle.c). */
int rescue_take_idle(struct f2fs_volume *vol);
/* Was the node of this footer written after the checkpoint in force? */
bool rescue_is_recent(const struct f2fs_volume *vol, const uint8_t *footer);

#endif
