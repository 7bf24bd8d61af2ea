/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on the node ids of NAT entries. An entry of the journal names its node, so a wrong number gives the block of
 * one node to another one, and hides the entry that the table has of that other one. The block knows its node by its
 * footer, its summary and the pointer that leads to it. If they agree, the entry becomes that node's.
 *
 * Vote on the number of entries in the journal as well, which hides the last ones when it is too small.
 */
#include "base/bitmap.h"
#include "base/error.h"
#include "volume/nat_read.h"
#include "witness/witness.h"
#include "witness/witness_entries.h"
#include "witness/witness_tree.h"

/* Does another block hold this node, at least as new as the viewed one? Then the viewed block is an old copy. */
static int is_elsewhere(struct checker *c, const struct block_view *view, bool *out)
{
	struct f2fs_nat_info entry;
	struct block_view other;
	bool is_readable;
	int err = nat_get_stored(c->vol, view->nid, &entry);

	*out = false;
	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		*out = true; /* who knows */
		return 0;
	}
	if (err || !geometry_is_main(c->geo, entry.block_addr))
		return err;
	err = witness_view(c, entry.block_addr, &other, &is_readable);
	*out = !err && is_readable && other.nid == view->nid && other.is_in_sit &&
	       (entry.block_addr == view->addr || (int32_t)(other.cp_ver - view->cp_ver) >= 0);
	return err;
}

/* Ask the witnesses of a block whether it is the node of its footer. Returns those that say so besides the footer. */
static int ask(struct checker *c, const struct block_view *view, unsigned *witnesses)
{
	struct tree_place place;
	int err = 0;

	*witnesses = 0;
	if (view->has_sum && view->is_node_sum && view->sum_nid == view->nid)
		*witnesses |= WITNESS_SUMMARY;
	if (view->nid == view->ino && view->offset == 0)
		*witnesses |= WITNESS_NAT; /* the entry has the inode's number as the owner */
	else
		err = tree_find_place(c, view->ino, view->offset, &place);
	if (!err && view->nid != view->ino && place.state != PLACE_NONE && place.value == view->nid)
		*witnesses |= WITNESS_POINTER;
	return err;
}

/* Does a pointer lead to the entry's own number, in the place that the footer names? */
static bool is_pointed_to(const struct checker *c, f2fs_nid_t nid, const struct block_view *view)
{
	const struct nid_fact *fact = facts_nid(&c->facts, nid);
	const struct nid_fact *parent;

	parent = fact && (fact->flags & FACT_CLAIMED) ? facts_nid(&c->facts, fact->parent) : NULL;
	return parent && parent->ino == view->ino && fact->place == view->offset;
}

/* The entry that counts for a number once the wrong one is taken away: another one of the journal, or the table's. */
static int find_hidden(struct checker *c, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	for (size_t i = 0; i < c->misnamed.count; i++) {
		const struct f2fs_nat_info *entry = vec_at(&c->misnamed, i);
		struct block_view view;
		bool is_readable;
		int err;

		if (entry->nid != nid)
			continue;
		*out = *entry;
		if (!geometry_is_main(c->geo, entry->block_addr))
			return 0;
		err = witness_view(c, entry->block_addr, &view, &is_readable);
		if (err || (is_readable && view.nid == nid))
			return err;
	}
	return nat_get_table(c->vol, nid, out);
}

static int amend(struct checker *c, const struct f2fs_nat_info *entry, f2fs_blk_t found, unsigned witnesses)
{
	const struct finding why = { .problem = P_NAT_ENTRY,
				     .nid = entry->nid,
				     .ino = entry->ino,
				     .has_values = 1,
				     .found = found,
				     .expected = entry->block_addr,
				     .text = "block_addr",
				     .witnesses = (uint16_t)witnesses };

	return witness_amend_entry(c, entry, &why);
}

/* Give an entry to the node that its block is, if it is not the entry's. is_used: the entry counts for its number. */
static int vote_on_entry(struct checker *c, const struct f2fs_nat_info *entry, bool is_used)
{
	struct f2fs_nat_info right = *entry, now, hidden;
	struct block_view view;
	bool is_readable, has_other;
	unsigned witnesses;
	int err;

	if (!geometry_is_main(c->geo, entry->block_addr))
		return 0;
	err = witness_view(c, entry->block_addr, &view, &is_readable);
	if (err || !is_readable || !view.is_in_sit || !geometry_is_nid(c->geo, view.nid) || view.nid == entry->nid ||
	    view.ino != entry->ino || (view.has_sum && view.is_node_sum && view.sum_nid == entry->nid) ||
	    is_pointed_to(c, entry->nid, &view))
		return err;
	err = is_elsewhere(c, &view, &has_other);
	if (!err && !has_other)
		err = ask(c, &view, &witnesses);
	if (err || has_other || !witnesses)
		return err;
	right.nid = view.nid;
	err = nat_get_stored(c->vol, view.nid, &now);
	if (!err)
		err = amend(c, &right, now.block_addr, witnesses | WITNESS_FOOTER | WITNESS_SIT);
	if (err || !is_used)
		return err;
	err = find_hidden(c, entry->nid, &hidden);
	if (err == F2FS_ERR_IO) {
		error_clear(c->ctx);
		return 0;
	}
	return err ? err : amend(c, &hidden, entry->block_addr, WITNESS_FOOTER | WITNESS_SIT);
}

/* Is an entry behind the journal's count that of a node which the NAT lacks? */
static int is_lacking(struct checker *c, const struct f2fs_nat_info *entry, bool *out)
{
	struct f2fs_nat_info now;
	struct block_view view;
	bool is_readable;
	int err;

	*out = false;
	if (facts_nid(&c->facts, entry->nid))
		return 0;
	err = nat_get_stored(c->vol, entry->nid, &now);
	if (err == F2FS_ERR_IO)
		error_clear(c->ctx);
	if (err || now.block_addr != F2FS_NULL_ADDR)
		return err == F2FS_ERR_IO ? 0 : err;
	err = witness_view(c, entry->block_addr, &view, &is_readable);
	*out = !err && is_readable && view.is_in_sit && view.nid == entry->nid && view.ino == entry->ino &&
	       !(view.has_sum && view.is_node_sum && view.sum_nid != entry->nid);
	return err;
}

/*
 * Vote on the number of entries in the journal. When it is too small, the NAT lacks nodes that the checkpoint counts,
 * and the entries behind it are theirs. Old entries stay there, too: their blocks are free, or the NAT has the node.
 */
static int vote_on_count(struct checker *c)
{
	const size_t counted = cp_valid_node_count(c->vol->view->cp), there = facts_nid_count(&c->facts);
	size_t lacking = 0;
	int err = 0;

	if (there >= counted || c->uncounted.count == 0)
		return 0;
	for (size_t i = 0; i < c->uncounted.count && !err; i++) {
		struct f2fs_nat_info *entry = vec_at(&c->uncounted, i);
		bool is_one;

		err = is_lacking(c, entry, &is_one);
		if (!is_one)
			entry->block_addr = F2FS_NULL_ADDR;
		lacking += is_one;
	}
	for (size_t i = 0; i < c->uncounted.count && !err && lacking <= counted - there; i++) {
		const struct f2fs_nat_info *entry = vec_at(&c->uncounted, i);

		if (entry->block_addr != F2FS_NULL_ADDR)
			err = amend(c, entry, F2FS_NULL_ADDR, WITNESS_FOOTER | WITNESS_SIT);
	}
	return err;
}

int witness_entries(struct checker *c)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = vote_on_count(c);

	for (size_t i = 0; i < c->misnamed.count && !err; i++)
		err = vote_on_entry(c, vec_at(&c->misnamed, i), false);
	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		struct f2fs_nat_info entry;

		if (fact->kind != FACT_BAD || fact->addr == 0)
			continue;
		err = nat_get_stored(c->vol, fact->nid, &entry);
		if (!err && entry.source == F2FS_FROM_JOURNAL)
			err = vote_on_entry(c, &entry, true);
	}
	return err;
}

bool entries_are_lost(const struct checker *c)
{
	for (size_t i = 0; i < c->misnamed.count; i++) {
		const struct f2fs_nat_info *entry = vec_at(&c->misnamed, i);
		const struct seg_fact *seg;
		uint32_t offset;

		if (!geometry_is_main(c->geo, entry->block_addr))
			continue;
		seg = facts_seg(&c->facts, geometry_segment_of(c->geo, entry->block_addr));
		offset = geometry_offset_of(c->geo, entry->block_addr);
		if (seg && msb_test(seg->sit_map, offset) && !msb_test(seg->node_map, offset))
			return true;
	}
	return false;
}
