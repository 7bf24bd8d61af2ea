/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Runs of entries of NAT or SIT, as their blocks have them (table_entries.c).
 */
#ifndef F2FSKIT_VOLUME_TABLE_ENTRIES_H
#define F2FSKIT_VOLUME_TABLE_ENTRIES_H

#include "volume/volume.h"

struct table_kind {
	const char *noun; /* of the counted things, plural */
	uint32_t count, per_block, entry_size;
	f2fs_blk_t (*current_block)(const struct f2fs_volume *vol, uint32_t k, unsigned *copy);
};

/* Fail with RANGE when there are no such entries. */
int table_check_range(const struct f2fs_volume *vol, const struct table_kind *kind, uint32_t first, uint32_t count);
/* Copy entries that are there. */
int table_copy(struct f2fs_volume *vol, const struct table_kind *kind, uint32_t first, uint32_t count,
	       uint8_t *entries);

#endif
