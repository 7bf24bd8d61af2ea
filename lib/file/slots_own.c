/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Guard blocks of other files against pointers that are wrong. The summary of a block names its owner. It is compared
 * with each slot whose block is about to go. If it names another owner, that one is asked, and believed if it points to
 * the block, too: then two witnesses speak against the slot. Damaged summaries alone forbid nothing.
 *
 * A repair frees by its own facts, which have settled such cases. Blocks that the transaction wrote itself need no
 * proof: a filler has not stored their summaries yet.
 */
#include "base/bitmap.h"
#include "base/error.h"
#include "file/slots_own.h"
#include "log/nodes.h"
#include "log/segments.h"
#include "log/ssa_write.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

/* What is known of the segment of the last slot. */
struct seen {
	f2fs_seg_t segno;
	const struct segment *segment;
	const uint8_t *entries; /* NULL: to be looked up */
	bool is_node;
};

/* Damage of a witness: it says nothing. */
static int witness_failed(struct f2fs_volume *vol, int err)
{
	if (err != F2FS_ERR_CORRUPT && err != F2FS_ERR_IO)
		return err;
	error_clear(vol->ctx);
	return 0;
}

/* Does the slot that a summary names point to the block? */
static int slot_points(struct winode *w, const struct owner *owner, f2fs_blk_t addr, bool *out)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	const uint8_t *slots, *footer;
	uint32_t count = geo->addrs_per_block;
	struct node *node;
	int err = node_get(w->txn, owner->nid, &node);

	if (err)
		return witness_failed(w->txn->vol, err);
	slots = node->block;
	footer = node_footer(geo, node->block);
	if (footer_ino(footer) == owner->nid) {
		struct inode_layout layout;

		inode_layout(geo, node->block, &layout);
		slots += layout.slot_offset;
		count = layout.slots;
	} else if (!node_offset_is_direct(geo, node_offset_of(footer))) {
		return 0;
	}
	*out = owner->ofs < count && get_le32(slots + (size_t)owner->ofs * 4) == addr;
	return 0;
}

/* Is the owner that a summary names indeed that of the block? */
static int confirm(struct winode *w, const struct owner *owner, bool is_node, f2fs_blk_t addr, bool *out)
{
	struct f2fs_nat_info entry;
	int err;

	*out = false;
	if (!geometry_is_nid(&w->txn->vol->geo, owner->nid))
		return 0;
	err = nat_get(w->txn->vol, owner->nid, &entry);
	if (err)
		return witness_failed(w->txn->vol, err);
	if (is_node) {
		*out = entry.block_addr == addr;
		return 0;
	}
	return entry.block_addr == F2FS_NULL_ADDR ? 0 : slot_points(w, owner, addr, out);
}

/* Look up the segment of a block. */
static int see(struct txn *txn, f2fs_blk_t addr, struct seen *seen)
{
	const f2fs_seg_t segno = geometry_segment_of(&txn->vol->geo, addr);
	struct segment *segment;
	int err;

	if (seen->segment && seen->segno == segno)
		return 0;
	err = segment_get(txn, segno, &segment);
	*seen = (struct seen){ .segno = segno, .segment = segment };
	return err;
}

/* Must a slot of a node be refused, because the block addr that it points to belongs elsewhere? */
static int need_own(struct winode *w, const struct node *node, uint32_t slot, f2fs_blk_t addr, struct seen *seen)
{
	struct f2fs_volume *vol = w->txn->vol;
	const uint32_t offset = geometry_offset_of(&vol->geo, addr);
	const uint8_t *sum;
	struct owner owner;
	bool is_other, is_node;
	int err = see(w->txn, addr, seen);

	if (err || !msb_test(seen->segment->ckpt, offset))
		return err;
	if (!seen->entries)
		err = summary_peek(w->txn, seen->segno, &seen->entries, &seen->is_node);
	if (err || !seen->entries)
		return witness_failed(vol, err);
	sum = seen->entries + (size_t)offset * sum_SIZE;
	owner = (struct owner){ .nid = sum_nid(sum), .ofs = sum_ofs_in_node(sum) };
	is_node = seen->is_node;
	if (!is_node && owner.nid == node->nid && owner.ofs == slot)
		return 0;
	seen->entries = NULL; /* the witness is read where they are */
	err = confirm(w, &owner, is_node, addr, &is_other);
	if (err || !is_other)
		return err;
	return volume_corrupt(vol, RULE_NODE_SHARED, addr, node->nid,
			      "slot %u of a node of inode %u points to a block of node %u; fsck.f2fs -y repairs it",
			      (unsigned)slot, (unsigned)w->node->nid, (unsigned)owner.nid);
}

int slots_need_own(struct winode *w, const struct slot_ref *first, uint32_t count)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	struct seen seen = { .segment = NULL };
	int err = 0;

	if (w->txn->is_derived || w->txn->lacks_ssa)
		return 0;
	for (uint32_t i = 0; i < count && !err; i++) {
		const f2fs_blk_t addr = get_le32(first->raw + (size_t)i * 4);

		if (geometry_is_main(geo, addr))
			err = need_own(w, first->node, first->ofs_in_node + i, addr, &seen);
	}
	return err;
}
