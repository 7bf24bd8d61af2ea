/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bound the reads of a volume.
 */
#ifndef F2FSKIT_VOLUME_READ_ROOM_H
#define F2FSKIT_VOLUME_READ_ROOM_H

#include "volume/volume.h"

/*
 * A hostile volume may lead to the same block from everywhere, so all files together may give no more than a volume
 * of that size can hold, when everything in it is compressed as well as it can be.
 */
uint64_t read_room(const struct f2fs_volume *vol);
/* Take that much of the room, and a block for looking; CORRUPT when there is none left. */
int read_room_take(struct f2fs_context *ctx, const struct f2fs_volume *vol, uint64_t *room, uint64_t bytes);

#endif
