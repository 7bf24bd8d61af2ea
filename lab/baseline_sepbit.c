/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * SepBIT: separate blocks by the time at which they are expected to become invalid. A written block lives about as
 * long as the one that it replaces did: classes 1 (short) and 2. A block that cleaning moves out of class 1 goes
 * to class 3, others by their age to classes 4 to 6. The bound of a short life is the mean life of the last 16
 * segments of class 1; a life is counted in blocks that users wrote.
 *
 * Left open by the text, or different here: a segment's life ends when its last block is moved or freed, as F2FS
 * takes back segments without blocks in use without cleaning them; the time of the last write is kept for each
 * block in memory; new blocks are of class 2, as those whose life is not known.
 */
#include <stdlib.h>

#include "lab/baseline.h"

enum { CLASSES = 6, SHORT = 0, LONG = 1, OF_SHORT = 2, YOUNG = 3, SEGMENTS = 16, YOUNG_LIVES = 4, OLD_LIVES = 16 };

struct segment {
	uint64_t began; /* when its first block was written */
	uint16_t blocks; /* in use */
	uint8_t class;
};

struct sepbit {
	struct f2fs_geometry geo;
	uint64_t now;	/* blocks that users wrote */
	uint64_t bound; /* of a short life */
	uint64_t lives; /* sum over the segments of class 1 since the bound was set */
	unsigned ended; /* their number */
	uint32_t blocks; /* of the main area */
	uint64_t *at;	/* by block: when it was written, from 1; 0: not known */
	struct segment segments[];
};

static struct segment *segment_of(struct sepbit *s, uint32_t block)
{
	return block < s->blocks ? &s->segments[block / F2FS_SEGMENT_BLOCKS] : NULL;
}

static unsigned classify(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old)
{
	const struct sepbit *s = user;
	const uint64_t at = old ? s->at[lab_baseline_index(&s->geo, old)] : 0;

	(void)ino;
	(void)file_block;
	return at && s->now - at < s->bound ? SHORT : LONG;
}

static unsigned moving(void *user, f2fs_nid_t ino, f2fs_blk_t old)
{
	struct sepbit *s = user;
	const uint32_t block = lab_baseline_index(&s->geo, old);
	const struct segment *from = segment_of(s, block);
	const uint64_t age = s->now - s->at[block];

	(void)ino;
	if (from && from->class == SHORT)
		return OF_SHORT;
	if (!s->at[block] || s->bound == UINT64_MAX)
		return CLASSES - 1;
	return age < YOUNG_LIVES * s->bound ? YOUNG : age < OLD_LIVES * s->bound ? YOUNG + 1 : YOUNG + 2;
}

/* A block is in use at a place of this class. */
static void enter(struct sepbit *s, uint32_t block, unsigned class, uint64_t at)
{
	struct segment *to = segment_of(s, block);

	s->at[block] = at;
	if (!to)
		return;
	if (!to->blocks++) {
		to->began = s->now;
		to->class = (uint8_t)class;
	}
}

static void leave(struct sepbit *s, uint32_t block)
{
	struct segment *from = segment_of(s, block);

	if (!from || !from->blocks || --from->blocks || from->class != SHORT)
		return;
	s->lives += s->now - from->began;
	if (++s->ended < SEGMENTS)
		return;
	s->bound = s->lives / s->ended;
	s->lives = s->ended = 0;
}

static void written(void *user, f2fs_nid_t ino, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct sepbit *s = user;
	const unsigned class = classify(user, ino, file_block, old);

	s->now++;
	enter(s, lab_baseline_index(&s->geo, addr), class, s->now);
	if (old) /* freed() is not called for a block that is replaced or moved */
		leave(s, lab_baseline_index(&s->geo, old));
}

static void moved(void *user, f2fs_blk_t old, f2fs_blk_t addr)
{
	struct sepbit *s = user;
	const uint32_t block = lab_baseline_index(&s->geo, old);

	enter(s, lab_baseline_index(&s->geo, addr), moving(user, 0, old), s->at[block]);
	leave(s, block);
}

static void freed(void *user, f2fs_blk_t addr)
{
	struct sepbit *s = user;

	leave(s, lab_baseline_index(&s->geo, addr));
}

size_t lab_baseline_sepbit(const struct f2fs_geometry *geo, struct f2fs_placement *out)
{
	const size_t blocks = (size_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	const size_t head = sizeof(struct sepbit) + geo->segment_count_main * sizeof(struct segment);
	const size_t size = head + (blocks + 1) * sizeof(uint64_t);
	struct sepbit *s = calloc(1, size);

	if (!s)
		return 0;
	s->geo = *geo;
	s->bound = UINT64_MAX;
	s->blocks = (uint32_t)blocks;
	s->at = (uint64_t *)(void *)((char *)s + head);
	out->user = s;
	out->streams = CLASSES;
	out->classify = classify;
	out->written = written;
	out->moving = moving;
	out->moved = moved;
	out->freed = freed;
	return size;
}
