/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume beside another one, over the same device: it has the tables that the other one had when it was opened, and
 * keeps them while that one is written. Overwritten blocks of the main area are marked as lost.
 */
#ifndef F2FSKIT_VOLUME_BESIDE_H
#define F2FSKIT_VOLUME_BESIDE_H

#include "volume/volume.h"

/* Part of it: follow what base writes, or the volume that it is beside of. vol's device is an overlay. */
int beside_join(struct f2fs_volume *vol, struct f2fs_volume *base);
/* Part of closing any volume. */
void beside_close(struct f2fs_volume *vol);
/* Fail with STATE when the tables could not be kept. */
int beside_check(const struct f2fs_volume *vol);
/* Was a block of the main area written or discarded by the other volume since? */
bool beside_is_lost(const struct f2fs_volume *vol, f2fs_blk_t addr);
/* base is about to write, zero or discard bytes of its device. */
void beside_note(struct f2fs_volume *base, uint64_t offset, uint64_t length);

#endif
