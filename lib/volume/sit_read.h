/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the SIT.
 */
#ifndef F2FSKIT_VOLUME_SIT_READ_H
#define F2FSKIT_VOLUME_SIT_READ_H

#include "volume/volume.h"

/*
 * How many whole SIT blocks from number k on, within its segment, are a hole of the image, the journal included, so
 * that all entries of these blocks are zero?
 */
uint32_t sit_hole_blocks(struct f2fs_volume *vol, uint32_t k);

/* The same as the public functions of these names, without forgetting the last error: for calls within the library. */
int sit_lookup(struct f2fs_volume *vol, f2fs_seg_t segno, struct f2fs_segment_info *out);
int sit_read(struct f2fs_volume *vol, f2fs_seg_t first, uint32_t count, uint8_t *entries);
/* For passes over the whole table, past the cache: read SIT blocks from k on, journal applied. *count: the most to
 * read, then the number read. */
int sit_read_blocks(struct f2fs_volume *vol, uint32_t k, uint32_t *count, uint8_t *blocks);

#endif
