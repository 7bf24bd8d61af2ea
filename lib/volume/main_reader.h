/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the main area from front to back, for callers that look at every block: in large pieces, without the holes of
 * the image. An unreadable block is reported and counts as zeros.
 */
#ifndef F2FSKIT_VOLUME_MAIN_READER_H
#define F2FSKIT_VOLUME_MAIN_READER_H

#include "device/extents.h"
#include "volume/volume.h"

struct main_reader {
	struct f2fs_volume *vol;
	void *user;
	int (*take)(void *user, const uint8_t *block, f2fs_blk_t addr);
	void (*unread)(void *user, f2fs_blk_t addr); /* before take() gets zeros for it */
	/* its own */
	struct holes holes;
	uint8_t *buffer;
	uint64_t blocks_read;
};

/* The members up to unread are set by the caller. */
int main_reader_init(struct main_reader *r);
void main_reader_fini(struct main_reader *r);

/* Is the whole segment a hole of the image? */
bool main_reader_is_hole(struct main_reader *r, f2fs_seg_t segno);
/* Take blocks [from, to) of a segment. */
int main_reader_range(struct main_reader *r, f2fs_seg_t segno, uint32_t from, uint32_t to);
/* Call segment(user, segno) for each segment, and report progress. */
int main_reader_walk(struct main_reader *r, const char *task, const char *phase,
		     int (*segment)(void *user, f2fs_seg_t segno));

#endif
