/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zoned volumes on devices that have zones: which sections must be written in order, how much of them holds data, where
 * their write pointers are (FORMAT volume 9.1). On a device without zones (an image file) all blocks of a section can
 * be written.
 */
#ifndef F2FSKIT_VOLUME_ZONE_MAP_H
#define F2FSKIT_VOLUME_ZONE_MAP_H

#include "volume/volume.h"

/* Learn the zones of the main area; part of opening. Only zones_check_fit() reports contradictions. */
int zones_load(struct f2fs_volume *vol);
/* Fail with UNSUPPORTED when the volume cannot be written on this device because of its zones. */
int zones_check_fit(struct f2fs_volume *vol);
/* Must a section be written in order? False on devices without zones. */
bool zones_is_sequential(const struct f2fs_volume *vol, uint32_t section);
/* How many blocks from the start of a segment on can be written. */
uint32_t zones_usable(const struct f2fs_volume *vol, f2fs_seg_t segno);
/* How many blocks of each section can be written: a kernel counts the capacity of zones for all sections. */
uint32_t zones_section_blocks(const struct f2fs_volume *vol);
/* The zone of a section that must be written in order, as it is now. */
int zones_look(struct f2fs_volume *vol, uint32_t section, struct f2fs_zone *out);
/* Find the block after the last written one of a section. Without zones *end is the end of the section. */
int zones_written_end(struct f2fs_volume *vol, uint32_t section, uint64_t *end);
/* Make such a section empty, or full. */
int zones_reset(struct f2fs_volume *vol, uint32_t section);
int zones_finish(struct f2fs_volume *vol, uint32_t section);
/* Make the zones empty that begin from one block on, before another: outside of the main area. */
int zones_reset_blocks(struct f2fs_volume *vol, uint64_t first, uint64_t end);

#endif
