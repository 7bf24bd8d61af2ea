/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A set of blocks of the main area: 64 bytes for each segment that has some. Marking cannot fail: where memory is
 * short, every block counts as marked.
 */
#ifndef F2FSKIT_VOLUME_MARKS_H
#define F2FSKIT_VOLUME_MARKS_H

#include "base/map32.h"
#include "base/vec.h"
#include "format/geometry.h"

struct block_marks {
	struct map32 index; /* segment -> number in maps */
	struct vec maps;    /* of F2FS_SEGMENT_BLOCKS bits each */
	bool has_all;	    /* memory was short */
};

void marks_init(struct block_marks *m, struct f2fs_context *ctx);
void marks_fini(struct block_marks *m);
bool marks_has(const struct block_marks *m, const struct f2fs_geometry *geo, f2fs_blk_t addr);
void marks_add(struct block_marks *m, const struct f2fs_geometry *geo, f2fs_blk_t addr, uint64_t count);
/* Add all that another set has, or take it away. */
void marks_join(struct block_marks *m, const struct block_marks *other);
void marks_remove(struct block_marks *m, const struct block_marks *other);

#endif
