/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Summary blocks, journals, and the compact form of data summaries (FORMAT volume 7).
 */
#ifndef F2FSKIT_FORMAT_SUMMARY_H
#define F2FSKIT_FORMAT_SUMMARY_H

#include <stdbool.h>

#include "format/geometry.h"
#include "format/rules.h"
#include "format/structs.h"

#define SUMMARY_BYTES (F2FS_SEGMENT_BLOCKS * 7u) /* the 512 entries of a segment */

/* The kind of a summary's entries: its footer's entry_type. */
enum summary_type { SUMMARY_OF_DATA = 0, SUMMARY_OF_NODES = 1 };

/* The owner of a block by its summary: a slot of a node, or the node itself (slot 0). */
struct owner {
	f2fs_nid_t nid;
	uint16_t ofs;
	uint8_t version; /* of the node's NAT entry; 0 for a node */
};

static inline void sum_set_owner(uint8_t *sum, struct owner owner)
{
	sum_set_nid(sum, owner.nid);
	sum_set_version(sum, owner.version);
	sum_set_ofs_in_node(sum, owner.ofs);
}

/* Return the owner of the block whose slot is `slots` later. */
static inline struct owner owner_behind(struct owner owner, uint32_t slots)
{
	owner.ofs = (uint16_t)(owner.ofs + slots);
	return owner;
}

static inline const uint8_t *summary_footer_of(const struct f2fs_geometry *geo, const uint8_t *summary)
{
	return summary + geo->sum_size - sumfoot_SIZE;
}

static inline uint8_t *summary_footer_w(const struct f2fs_geometry *geo, uint8_t *summary)
{
	return summary + geo->sum_size - sumfoot_SIZE;
}

static inline unsigned journal_count(const uint8_t *journal)
{
	return get_le16(journal);
}

static inline const uint8_t *journal_nat_entry(const uint8_t *journal, unsigned i)
{
	return journal + 2 + (size_t)i * natj_SIZE;
}

static inline const uint8_t *journal_sit_entry(const uint8_t *journal, unsigned i)
{
	return journal + 2 + (size_t)i * sitj_SIZE;
}

/*
 * Can entry i count? Its number is in range, and no entry before it has the same node id: Linux takes the first one. A
 * SIT journal may have a segment twice.
 */
bool journal_nat_is_sound(const struct f2fs_geometry *geo, const uint8_t *journal, unsigned i);
bool journal_sit_is_sound(const struct f2fs_geometry *geo, const uint8_t *journal, unsigned i);
/* Check a NAT or SIT journal: count, then each number in range, and node ids unique. */
enum rule journal_check_nat(const struct f2fs_geometry *geo, const uint8_t *journal);
enum rule journal_check_sit(const struct f2fs_geometry *geo, const uint8_t *journal);

/* Position of entry number index (counted over all three logs) in the compact stream: block and byte offset. */
void summary_compact_position(const struct f2fs_geometry *geo, uint32_t index, uint32_t *block, uint32_t *offset);

#endif
