/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a table block by block.
 */
#ifndef F2FSKIT_FACTS_TABLE_READ_H
#define F2FSKIT_FACTS_TABLE_READ_H

#include "facts/run.h"

/* NAT or SIT, as blocks 0 .. blocks-1. */
struct table {
	const char *phase;
	uint32_t blocks;
	f2fs_blk_t (*addr)(const struct checker *c, uint32_t k); /* of the copy in use */
	int (*take)(struct checker *c, uint32_t k, const uint8_t *block);
	enum problem lost; /* how to report unreadable blocks */
	/* must take be called even if the block is a hole, that is zero? NULL: never */
	bool (*needs_zero)(const struct checker *c, uint32_t k);
};

/* Take each block that is not a hole, in order. */
int table_read(struct checker *c, const struct table *table);

#endif
