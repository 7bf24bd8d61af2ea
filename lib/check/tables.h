/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Parts of the tables pass: reading a table block by block, journals, maps of free node ids, logs.
 */
#ifndef F2FSKIT_CHECK_TABLES_H
#define F2FSKIT_CHECK_TABLES_H

#include "check/checker.h"

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

/* Judge the journals and orphan blocks as stored in the pack. The volume has cut the bad ones. */
int tables_check_journals(struct checker *c);
/* Read the maps of full and empty NAT blocks, when they belong to the checkpoint. */
int tables_load_nat_bits(struct checker *c);
/* Do the maps disagree with a NAT block of which used of all entries have an address? */
bool tables_nat_bits_differ(const struct checker *c, uint32_t k, unsigned used, unsigned all);
/* Compare the maps with a NAT block of which used of all entries have an address. */
int tables_check_nat_bits(struct checker *c, uint32_t k, unsigned used, unsigned all);
/* Are the next blocks of the logs free? */
int tables_check_logs(struct checker *c);

#endif
