/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Collect the valid blocks of a section and their owners (FORMAT files 11.3). The summaries name an owner for each
 * block; none of them is believed before the owner's node points back at the block. For one unconfirmed block GC
 * leaves the whole section alone: its bits in the SIT, its summary or the node is damaged, and moving the block would
 * lose it. Reasons end with the problems (facts/problems.def) of which a check finds one there.
 */
#include <stdlib.h>
#include <string.h>

#include "base/bitmap.h"
#include "base/error.h"
#include "gc/gc.h"
#include "gc/live.h"
#include "format/inode.h"
#include "log/segments.h"
#include "volume/nat_read.h"
#include "volume/node_read.h"
#include "volume/sit_read.h"
#include "volume/ssa_read.h"

enum { OF_INODE, OF_NODE }; /* of live.block */

int live_init(struct live *live, struct f2fs_volume *vol)
{
	memset(live, 0, sizeof(*live));
	live->vol = vol;
	vec_init(&live->blocks, vol->ctx, sizeof(struct live_block));
	for (unsigned i = 0; i < 2; i++) {
		live->block[i] = mem_alloc(vol->ctx, vol->geo.block_size);
		if (!live->block[i])
			return F2FS_ERR_NOMEM;
	}
	return 0;
}

void live_fini(struct live *live)
{
	if (!live->vol)
		return;
	vec_fini(&live->blocks);
	for (unsigned i = 0; i < 2; i++)
		mem_free(live->vol->ctx, live->block[i]);
}

static int refuse(struct live *live, enum live_verdict verdict, const struct live_block *b, const char *why)
{
	live->verdict = verdict;
	live->at = b->addr;
	live->nid = b->nid;
	live->why = why;
	return 0;
}

/* A read that failed: damage and unreadable blocks are a verdict, the rest a failure. */
static int refuse_error(struct live *live, int err, const struct live_block *b, const char *why)
{
	if (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO)
		return err;
	error_clear(live->vol->ctx);
	return refuse(live, err == F2FS_ERR_IO ? LIVE_UNREADABLE : LIVE_UNCONFIRMED, b, why);
}

/* Collect the blocks in use of one segment. */
static int collect_segment(struct live *live, f2fs_seg_t segno, uint8_t *entries)
{
	const struct live_block start = { .addr = geometry_segment_start(&live->vol->geo, segno) };
	struct f2fs_segment_info sit;
	uint8_t entry_type;
	int source, err = sit_lookup(live->vol, segno, &sit);

	if (err)
		return refuse_error(live, err, &start,
				    "the SIT of the segment cannot be read (SIT_UNREADABLE, SIT_COUNT)");
	if (sit.valid_blocks != bitmap_popcount(sit.valid_map, sizeof(sit.valid_map)) || sit.type >= F2FS_LOG_COUNT)
		return refuse(live, LIVE_UNCONFIRMED, &start, "the SIT entry contradicts itself (SIT_COUNT)");
	if (live->vol->txn) { /* blocks may have gone since the last commit */
		struct segment *s;

		err = segment_get(live->vol->txn, segno, &s);
		if (err)
			return refuse_error(live, err, &start,
					    "the SIT of the segment cannot be read (SIT_UNREADABLE, SIT_COUNT)");
		memcpy(sit.valid_map, s->cur, sizeof(sit.valid_map));
		sit.valid_blocks = s->valid;
	}
	if (sit.valid_blocks == 0)
		return 0;
	err = ssa_read(live->vol, segno, entries, &entry_type, &source);
	if (err)
		return refuse_error(live, err, &start, "the summary of the segment cannot be read (SSA_UNREADABLE)");
	if (entry_type != (sit.type >= F2FS_HOT_NODE))
		return refuse(live, LIVE_UNCONFIRMED, &start,
			      "SIT and summary do not agree on data or nodes (SIT_CLASS, SSA_TYPE)");
	for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS; i++) {
		const uint8_t *raw = entries + (size_t)i * sum_SIZE;
		struct live_block *b;

		if (!msb_test(sit.valid_map, i))
			continue;
		b = vec_push(&live->blocks, 1);
		if (!b)
			return F2FS_ERR_NOMEM;
		*b = (struct live_block){ .addr = start.addr + i,
					  .segno = segno,
					  .nid = sum_nid(raw),
					  .ofs = sum_ofs_in_node(raw),
					  .version = sum_version(raw),
					  .is_node = entry_type != SUMMARY_OF_DATA };
	}
	return 0;
}

/* Nodes: the NAT names this block. Data: the node lives, and is of the summary's version; learn the file. */
static int confirm_nat(struct live *live, struct live_block *b)
{
	struct f2fs_nat_info entry;
	int err;

	if (!geometry_is_nid(&live->vol->geo, b->nid))
		return refuse(live, LIVE_UNCONFIRMED, b, "its summary names no node id that can be (SSA_ENTRY)");
	err = nat_get(live->vol, b->nid, &entry);
	if (err)
		return refuse_error(live, err, b, "the NAT entry of its owner cannot be read (NAT_UNREADABLE)");
	b->ino = entry.ino;
	if (b->is_node)
		return entry.block_addr == b->addr
			       ? 0
			       : refuse(live, LIVE_UNCONFIRMED, b,
					"the NAT has its node in another place (SIT_EXTRA, SSA_ENTRY)");
	if (!geometry_is_main(&live->vol->geo, entry.block_addr))
		return refuse(live, LIVE_UNCONFIRMED, b, "its summary names a node that does not exist (SSA_ENTRY)");
	if (entry.version != b->version)
		return refuse(live, LIVE_UNCONFIRMED, b, "its summary is of another version of the node (SSA_ENTRY)");
	return geometry_is_nid(&live->vol->geo, entry.ino)
		       ? 0
		       : refuse(live, LIVE_UNCONFIRMED, b, "its node belongs to no inode that can be (NAT_INO)");
}

/* May an inode own blocks of data, and may they be moved? */
static int confirm_inode(struct live *live, const struct live_block *b)
{
	const uint8_t *inode = live->block[OF_INODE];
	const unsigned type = inode_i_mode(inode) & MODE_TYPE;

	/* one that the batch has changed was checked before that, and gets its checksum when it is written */
	if (!(live->vol->ops.running && live->vol->ops.running->find_node(live->vol, b->ino)) &&
	    inode_check(&live->vol->geo, inode, b->ino, live->vol->checksum_seed) != RULE_NONE)
		return refuse(live, LIVE_UNCONFIRMED, b, "the inode of its file is damaged");
	if (type != MODE_REG && type != MODE_DIR && type != MODE_LNK)
		return refuse(live, LIVE_UNCONFIRMED, b, "its file is of a type that has no blocks (INODE_MODE)");
	if (inode_has_inline(inode, FLAG_i_inline_inline_data) ||
	    (type == MODE_DIR && inode_has_inline(inode, FLAG_i_inline_inline_dentry)))
		return refuse(live, LIVE_UNCONFIRMED, b,
			      "its file has its contents in the inode (INLINE_WORD, SIT_EXTRA)");
	if (inode_has_inline(inode, FLAG_i_inline_pin_file) && !live->moves_pinned)
		return refuse(live, LIVE_PINNED, b, "its file is pinned");
	if (inode_i_flags(inode) & FLAG_i_flags_device_alias)
		return refuse(live, LIVE_PINNED, b, "its file stands for a device");
	return 0;
}

/* Read the inode of a data block, and the direct node if it is another. */
static int load_owners(struct live *live, const struct live_block *b, const struct live_block *before)
{
	const bool is_same_file = before && before->ino == b->ino;
	int err = is_same_file ? 0 : node_load(live->vol, b->ino, b->ino, live->block[OF_INODE], NULL);

	if (err)
		return refuse_error(live, err, b,
				    "the inode of its file cannot be read "
				    "(NODE_UNREADABLE, NODE_NID, NAT_INO, NAT_ENTRY)");
	if (!is_same_file)
		err = confirm_inode(live, b);
	if (err || live->verdict != LIVE_CONFIRMED || b->nid == b->ino || (is_same_file && before->nid == b->nid))
		return err;
	err = node_load(live->vol, b->nid, b->ino, live->block[OF_NODE], NULL);
	return err ? refuse_error(live, err, b,
				  "its node cannot be read (NODE_UNREADABLE, NODE_NID, NAT_INO, NAT_ENTRY)")
		   : 0;
}

/* Does the slot that the summary names hold the block? The owners are loaded. */
static int confirm_slot(struct live *live, const struct live_block *b)
{
	const struct f2fs_geometry *geo = &live->vol->geo;
	const uint8_t *node = live->block[b->nid == b->ino ? OF_INODE : OF_NODE], *slots = node;
	struct inode_layout layout;
	uint32_t count;

	inode_layout(geo, live->block[OF_INODE], &layout);
	count = layout.node_slots;
	if (b->nid == b->ino) {
		slots = node + layout.slot_offset;
		count = layout.slots;
	} else if (!node_offset_is_direct(geo, node_offset_of(node_footer(geo, node)))) {
		return refuse(live, LIVE_UNCONFIRMED, b, "its summary names a node that holds no data (SSA_ENTRY)");
	}
	if (b->ofs >= count)
		return refuse(live, LIVE_UNCONFIRMED, b,
			      "its summary names a slot that its node does not have (SSA_ENTRY)");
	return get_le32(slots + (size_t)b->ofs * 4) == b->addr
		       ? 0
		       : refuse(live, LIVE_UNCONFIRMED, b,
		       	"its node does not refer to it (SSA_ENTRY, SIT_EXTRA, DATA_POINTER)");
}

/* Data first, by file, node and slot; then nodes by id. */
static int by_owner(const void *left, const void *right)
{
	const struct live_block *a = left, *b = right;

	if (a->is_node != b->is_node)
		return a->is_node ? 1 : -1;
	if (!a->is_node && a->ino != b->ino)
		return a->ino < b->ino ? -1 : 1;
	if (a->nid != b->nid)
		return a->nid < b->nid ? -1 : 1;
	return (a->ofs > b->ofs) - (a->ofs < b->ofs);
}

/* The order in which they are moved: by segment. */
static int by_segment(const void *left, const void *right)
{
	const struct live_block *a = left, *b = right;

	if (a->segno != b->segno)
		return a->segno < b->segno ? -1 : 1;
	return by_owner(left, right);
}

static int confirm_all(struct live *live)
{
	struct live_block *list = live->blocks.items;
	const struct live_block *before = NULL;
	int err = 0;

	for (size_t i = 0; i < live->blocks.count && !err && live->verdict == LIVE_CONFIRMED; i++)
		err = confirm_nat(live, &list[i]);
	if (err || live->verdict != LIVE_CONFIRMED)
		return err;
	vec_sort(&live->blocks, by_owner);
	for (size_t i = 0; i < live->blocks.count && !list[i].is_node; i++) {
		err = load_owners(live, &list[i], before);
		if (!err && live->verdict == LIVE_CONFIRMED)
			err = confirm_slot(live, &list[i]);
		if (err || live->verdict != LIVE_CONFIRMED)
			return err;
		list[i].is_pinned = inode_has_inline(live->block[OF_INODE], FLAG_i_inline_pin_file) != 0;
		live->pinned += list[i].is_pinned;
		live->data++;
		live->owners += !before || before->nid != list[i].nid;
		/* the cached extent of a file may have to go: its inode changes, too */
		live->owners += list[i].nid != list[i].ino && (!before || before->ino != list[i].ino);
		before = &list[i];
	}
	return 0;
}

int live_find(struct live *live, uint32_t section)
{
	const uint32_t sps = live->vol->geo.segs_per_sec;
	uint8_t *entries = mem_alloc(live->vol->ctx, SUMMARY_BYTES);
	int err = entries ? 0 : F2FS_ERR_NOMEM;

	live->blocks.count = 0;
	live->data = live->pinned = live->owners = 0;
	live->verdict = LIVE_CONFIRMED;
	for (uint32_t i = 0; i < sps && !err && live->verdict == LIVE_CONFIRMED; i++)
		err = collect_segment(live, section * sps + i, entries);
	mem_free(live->vol->ctx, entries);
	if (!err && live->verdict == LIVE_CONFIRMED)
		err = confirm_all(live);
	if (!err && live->verdict == LIVE_CONFIRMED && sps > 1)
		vec_sort(&live->blocks, by_segment);
	return err;
}
