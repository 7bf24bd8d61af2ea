/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Defragment zoned volumes through logs: they are only appended to, and a device keeps few zones open.
 */
#ifndef F2FSKIT_DEFRAG_ZONED_H
#define F2FSKIT_DEFRAG_ZONED_H

#include "defrag/run.h"

struct live_block;

/* How many blocks a section can hold. */
uint32_t zoned_section_blocks(const struct f2fs_volume *vol);
/* Begin to clear the way, or to place. Placing may take the given number of sections. */
int zoned_begin_clearing(struct defrag_run *r);
int zoned_begin_placing(struct defrag_run *r, uint32_t sections);
/* Blocks that go to the current section. */
uint32_t zoned_room(const struct defrag_run *r);
uint32_t zoned_clearing_room(const struct defrag_run *r);
/* Continue in another section. */
int zoned_next_run(struct defrag_run *r);
/* Append blocks of one owner: *got of want, from *to on. */
int zoned_place(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got);
int zoned_clear(struct defrag_run *r, const struct live_block *b, uint32_t want, const uint8_t *data, f2fs_blk_t *to,
		uint32_t *got);
/* Does a file that is too large for a section continue there? */
bool zoned_is_break(const struct defrag_run *r, f2fs_blk_t last, f2fs_blk_t next);

#endif
