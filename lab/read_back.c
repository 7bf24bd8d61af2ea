/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walk the extents of a file.
 */
#include "lab/read_back.h"

enum { WINDOW_LEAST = 4, WINDOW_MOST = 32 };

struct ahead {
	f2fs_blk_t first, end; /* addresses that were read ahead */
	uint32_t window;
};

/* Read the block at addr after the one before it in the file. Return whether it was read ahead. */
static int follow(struct ahead *a, f2fs_blk_t addr)
{
	const int is_hit = addr >= a->first && addr < a->end;

	if (!is_hit) {
		a->window = WINDOW_LEAST;
		a->first = addr + 1;
		a->end = a->first + a->window;
	} else if (addr + 1 == a->end) {
		a->window = a->window < WINDOW_MOST ? 2 * a->window : WINDOW_MOST;
		a->first = a->end;
		a->end = a->first + a->window;
	}
	return is_hit;
}

int lab_read_back_add(struct lab_read_back *r, struct f2fs_inode *inode)
{
	struct ahead ahead = { 0, 0, 0 };
	struct f2fs_file_extent e;
	uint64_t at = 0, before = 0; /* the address before; 0: none */
	int err;

	while ((err = f2fs_inode_extent(inode, at, &e)) == 0) {
		at = e.file_block + e.count;
		if (e.kind != F2FS_EXTENT_DATA)
			continue;
		r->files += before == 0;
		r->pieces += before == 0 || before + 1 != e.addr;
		r->blocks += e.count;
		for (uint64_t i = 0; i < e.count; i++) {
			if (before) {
				r->following++;
				r->hits += (uint64_t)follow(&ahead, e.addr + (f2fs_blk_t)i);
			}
			before = e.addr + i;
		}
	}
	return err == F2FS_ERR_NOT_FOUND ? 0 : err;
}
