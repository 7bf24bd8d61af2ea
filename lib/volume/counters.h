/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing to the device of a volume, counted by cause (enum f2fs_write_cause of engine.h).
 */
#ifndef F2FSKIT_VOLUME_COUNTERS_H
#define F2FSKIT_VOLUME_COUNTERS_H

#include "volume/volume.h"

/* Write through the cache, so that it does not keep the old bytes. */
int volume_write(struct f2fs_volume *vol, unsigned cause, uint64_t offset, const void *data, size_t length);
/* Count a write, and let those know that have to, before it is done elsewhere. */
void counters_add(struct f2fs_volume *vol, unsigned cause, uint64_t offset, uint64_t length);
int volume_zero(struct f2fs_volume *vol, uint64_t offset, uint64_t length);
int volume_discard(struct f2fs_volume *vol, uint64_t offset, uint64_t length);
int volume_flush(struct f2fs_volume *vol);
/* The same before the first change of an opened volume: the checkpoint just read may only be in a volatile cache, and
 * the changes go to blocks that the checkpoint before it uses. */
int volume_flush_once(struct f2fs_volume *vol);

#endif
