/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on the fields that divide an inode: i_inline, i_extra_isize and i_inline_xattr_size, and on the flag of
 * compressed files. A wrong one moves all pointers, or takes contents or marks for pointers. The contents speak for or
 * against a division: summaries of blocks name their slots, attributes and directories have fixed first bytes, and
 * reserved bytes are zero. If the contents contradict the present fields, and a change of one field leaves no
 * contradiction, the change is made. Of i_inline several bits may change.
 */
#include <string.h>

#include "facts/inode_mend.h"
#include "facts/layout_signs.h"
#include "format/dentry.h"
#include "format/xattr.h"
#include "witness/fresh_layout.h"
#include "witness/witness.h"
#include "witness/witness_layout.h"
#include "witness/witness_shift.h"

#define MOST_ASKED 4096u /* inodes of one check: each costs up to some ten thousand lookups */
#define TOLERATED 8u	 /* one wrong summary does not count against this many right ones */

struct voices {
	uint32_t pro, contra;
	uint32_t others; /* summaries that name other slots */
	uint32_t nodes;	 /* pointers to nodes of an inode that has its contents inside */
	uint32_t past;	 /* pointers past the size of the file */
};

static bool is_clean(const struct voices *v)
{
	return v->contra == 0 && v->others * TOLERATED <= v->pro && v->pro > 0;
}

static void speak(struct voices *v, bool is_pro, uint32_t weight)
{
	*(is_pro ? &v->pro : &v->contra) += weight;
}

/* ---- voices about one division */

static int hear_slots(struct checker *c, const struct nid_fact *fact, const uint8_t *block,
		      const struct inode_layout *layout, struct voices *v)
{
	const uint64_t end = (inode_i_size(block) + c->geo->block_size - 1) >> c->geo->block_bits;
	int err = 0;

	for (uint32_t i = 0; i < layout->slots && !err; i++) {
		const f2fs_blk_t addr = get_le32(block + layout->slot_offset + (size_t)i * 4);
		struct block_view view;

		if (addr == F2FS_NULL_ADDR || addr == F2FS_NEW_ADDR ||
		    (addr == F2FS_COMPRESS_ADDR && layout->cluster_blocks && i % layout->cluster_blocks == 0))
			continue;
		if (!geometry_is_main(c->geo, addr)) {
			speak(v, false, 2);
			continue;
		}
		v->past += i >= end;
		err = witness_view_tables(c, addr, &view);
		if (!err && view.has_sum && view.sum_nid == fact->nid && view.sum_slot == i)
			v->pro++;
		else if (!err && view.has_sum)
			v->others++;
	}
	return err;
}

/* Nodes below it that name the inode as their owner speak for contents outside. */
static void hear_nodes(struct checker *c, const struct nid_fact *fact, const uint8_t *block, struct voices *v)
{
	for (unsigned i = 0; i < INODE_NIDS; i++) {
		const f2fs_nid_t nid = inode_nid(c->geo, block, i);
		const struct nid_fact *node = nid ? facts_nid(&c->facts, nid) : NULL;

		v->pro += node && node != fact && node->ino == fact->nid;
	}
}

/* Is a slot taken that has no name? One wrong bit does that, and a division that shifts the bitmap does it often. */
static bool has_nameless_slot(const struct dentry_area *area)
{
	uint32_t slot = 0;

	while (slot < area->slots) {
		const uint32_t len = dentry_name_len(area->entries + (size_t)slot * dentry_SIZE);
		const bool is_taken = lsb_test(area->bitmap, slot);

		if (is_taken && len == 0)
			return true;
		slot += is_taken ? dentry_slots_of(len) : 1;
	}
	return false;
}

static void hear_inside(const struct nid_fact *fact, const uint8_t *block, const struct inode_layout *layout,
			struct voices *v)
{
	const uint8_t *payload = block + layout->inline_offset;
	const uint64_t size = inode_i_size(block);
	struct dentry_area area;

	if (get_le32(block + layout->slot_offset) != 0)
		speak(v, false, 2);
	if (inode_has_inline(block, FLAG_i_inline_inline_dentry)) {
		dentry_area_of_inode(block, layout, &area);
		speak(v, dentry_has_own_dot(&area, fact->nid), 4);
		if (has_nameless_slot(&area))
			speak(v, false, 1);
		return;
	}
	if (size > layout->inline_size)
		speak(v, false, 4);
	else if (!is_zero(payload + size, layout->inline_size - (size_t)size))
		speak(v, false, 2);
	else if (size > 0 && payload[size - 1] != 0) /* data ends where it should */
		speak(v, true, 2);
	else if (size > 0 && inode_has_inline(block, FLAG_i_inline_data_exist) && is_zero(payload, (size_t)size))
		speak(v, false, 1);
}

static void hear_attributes(const struct f2fs_geometry *geo, const uint8_t *block, const struct inode_layout *layout,
			    struct voices *v)
{
	const uint8_t *room = block + layout->xattr_offset;

	if (layout->xattr_size >= xhead_SIZE) {
		if (get_le32(room) == XATTR_MAGIC)
			speak(v, true, 4);
		else if (!layout_is_nearly_zero(room, layout->xattr_size))
			speak(v, false, 4);
	} else if (layout->xattr_size == 0 && !is_zero(room, layout->xattr_words * 4)) {
		speak(v, false, 4); /* room for attributes that an inode without them leaves zero */
	} else if (layout->xattr_words == 0 && layout_hides_attributes(geo, block)) {
		speak(v, false, 4);
	}
}

static bool has_contents(unsigned type)
{
	return type == F2FS_TYPE_REGULAR || type == F2FS_TYPE_DIRECTORY || type == F2FS_TYPE_SYMLINK;
}

static int hear(struct checker *c, const struct nid_fact *fact, const uint8_t *block, struct voices *v)
{
	const unsigned type = f2fs_type_of_mode(inode_i_mode(block));
	const bool is_inside = inode_has_inline(block, type == F2FS_TYPE_DIRECTORY ? FLAG_i_inline_inline_dentry
										   : FLAG_i_inline_inline_data);
	struct inode_layout layout;

	memset(v, 0, sizeof(*v));
	if (inode_check(&c->plain, block, fact->nid, 0) != RULE_NONE)
		speak(v, false, 4);
	inode_layout(c->geo, block, &layout);
	hear_attributes(c->geo, block, &layout, v);
	if (layout_has_more_than_number(c->geo, block))
		speak(v, false, 4);
	else if (inode_is_device(block) && !is_zero(block + layout.slot_offset, 8))
		speak(v, true, 4);
	if (!has_contents(type))
		return 0;
	if (!is_inside) {
		hear_nodes(c, fact, block, v);
		return hear_slots(c, fact, block, &layout, v);
	}
	for (unsigned i = 0; i < INODE_NIDS; i++)
		v->nodes += inode_nid(c->geo, block, i) != 0;
	if (layout_lacks_target(c->geo, block))
		speak(v, false, 4);
	hear_inside(fact, block, &layout, v);
	return 0;
}

/*
 * Set the fields that do not divide an inode to values that break no rule, in a copy of it. Otherwise they would count
 * against every division.
 */
static void settle_fields_apart(const struct checker *c, f2fs_nid_t ino, uint8_t *block)
{
	if (inode_i_blocks(block) == 0)
		inode_mend(c->geo, block, ino, RULE_INODE_BLOCKS);
	inode_mend(c->geo, block, ino, RULE_INODE_XATTR_NID);
	inode_mend(c->geo, block, ino, RULE_INODE_EXTENT);
	inode_mend(c->geo, block, ino, RULE_DIR_DEPTH);
}

/* ---- other divisions */

/* A change of one field. */
struct change_of {
	const char *name;
	uint32_t at, width, value;
};

static uint32_t get_field(const uint8_t *block, const struct change_of *change)
{
	if (change->width == 4)
		return get_le32(block + change->at);
	return change->width == 1 ? block[change->at] : get_le16(block + change->at);
}

static void set_field(uint8_t *block, const struct change_of *change, uint32_t value)
{
	if (change->width == 4)
		put_le32(block + change->at, value);
	else if (change->width == 1)
		block[change->at] = (uint8_t)value;
	else
		put_le16(block + change->at, (uint16_t)value);
}

/* The n-th change; false: there are no more. */
static bool change_at(const struct checker *c, const uint8_t *block, unsigned n, struct change_of *out)
{
	static const uint8_t flags[] = { FLAG_i_inline_inline_xattr, FLAG_i_inline_inline_data,
					 FLAG_i_inline_inline_dentry, FLAG_i_inline_extra_attr };
	static const uint8_t choices[] = { 1, 2, 4, 8, 3, 5, 9, 6, 10, 12, 7, 11, 13, 14, 15 }; /* bit i: flags[i] */
	const bool has_extra = inode_has_inline(block, FLAG_i_inline_extra_attr);
	const uint32_t sizes = extra_SIZE / 4, words = c->geo->addrs_per_inode;
	/* without contents little speaks against a division: several bits would fit a wrong mode, too */
	const unsigned count = has_contents(f2fs_type_of_mode(inode_i_mode(block))) ? sizeof(choices) : sizeof(flags);

	if (n < count) {
		uint32_t value = inode_i_inline(block);

		for (unsigned i = 0; i < sizeof(flags); i++)
			value ^= choices[n] >> i & 1 ? flags[i] : 0;
		*out = (struct change_of){ "i_inline", inode_OFS_i_inline, 1, value };
		return true;
	}
	n -= count;
	if (n == 0) { /* marks of compressed clusters are no pointers */
		const uint32_t now = inode_i_flags(block), compr = FLAG_i_flags_compr;

		*out = (struct change_of){ "i_flags", inode_OFS_i_flags, 4,
					   geometry_has(c->geo, F2FS_FEAT_COMPRESSION) && has_extra ? now | compr
												    : now };
		return true;
	}
	n--;
	if (has_extra && n < sizes) { /* the largest, which the kernel gives every new inode, first */
		*out = (struct change_of){ "i_extra_isize", INODE_ADDR_OFFSET + extra_OFS_i_extra_isize, 2,
					   extra_SIZE - 4 * n };
		return true;
	}
	n -= has_extra ? sizes : 0;
	if (!geometry_has(c->geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) || n > inode_most_xattr_words(c->geo))
		return false;
	*out = (struct change_of){ "i_inline_xattr_size", INODE_ADDR_OFFSET + extra_OFS_i_inline_xattr_size, 2, n };
	/* only where attributes begin, or where none are */
	if (n != 0 && n != INODE_DEFAULT_XATTR_WORDS &&
	    get_le32(block + INODE_ADDR_OFFSET + (size_t)(words - n) * 4) != XATTR_MAGIC)
		out->value = get_field(block, out);
	return true;
}

/*
 * Find the change that all votes are for. It may leave as many pointers to nodes beside contents inside, and past the
 * size of the file, as bounds has. *found: there is one, and no other that is as good.
 */
static int find_change(struct checker *c, const struct nid_fact *fact, uint8_t *block, const struct voices *bounds,
		       struct change_of *best, bool *found)
{
	struct change_of change;
	uint32_t most = 0;
	int err = 0;

	memset(best, 0, sizeof(*best));
	*found = false;
	for (unsigned n = 0; !err && change_at(c, block, n, &change); n++) {
		const uint32_t old = get_field(block, &change);
		struct voices v;

		if (old == change.value)
			continue;
		set_field(block, &change, change.value);
		err = hear(c, fact, block, &v);
		set_field(block, &change, old);
		/* a pointer to a node that is wrong by itself speaks against the present division, too */
		if (err || !is_clean(&v) || v.nodes > bounds->nodes || v.past > bounds->past || v.pro < most)
			continue;
		*found = v.pro > most || (*found && best->at == change.at); /* of one field the first */
		if (v.pro > most)
			*best = change;
		most = v.pro;
	}
	return err;
}

/* Is it rather the mode that is wrong, which says that there are no contents, and there are (inode_type.c)? */
static bool is_mode_wrong(const struct f2fs_geometry *geo, const uint8_t *block)
{
	return !has_contents(f2fs_type_of_mode(inode_i_mode(block))) &&
	       (inode_i_size(block) != 0 ||
		(inode_has_inline(block, FLAG_i_inline_inline_data) && !inode_is_device(block)) ||
		(inode_has_inline(block, FLAG_i_inline_inline_dentry) && !layout_lacks_own_dot(geo, block)));
}

int witness_layout(struct checker *c, f2fs_nid_t ino)
{
	const struct inode_fact *known = facts_inode(&c->facts, ino);
	struct inode_fact *inode;
	const struct nid_fact *fact;
	struct change_of best;
	struct voices now, bounds;
	bool is_readable, found;
	int err;

	if (!known || (known->state & (INODE_ASKED | INODE_ALIAS | INODE_RETYPED)) ||
	    c->book->asked == MOST_ASKED || !witness_may_vote(c))
		return 0;
	inode = facts_edit_inode(&c->facts, ino);
	if (!inode)
		return F2FS_ERR_NOMEM;
	fact = facts_nid(&c->facts, ino);
	inode->state |= INODE_ASKED;
	c->book->asked++;
	err = witness_copy_block(c, fact->addr, &is_readable);
	if (err || !is_readable)
		return err;
	if (is_mode_wrong(c->geo, c->scratch)) {
		inode->state &= (uint16_t)~INODE_ODD;
		return 0;
	}
	settle_fields_apart(c, ino, c->scratch);
	err = hear(c, fact, c->scratch, &now);
	if (err || (now.nodes == 0 && now.contra == 0 && (now.others == 0 || is_clean(&now)))) {
		inode->state &= (uint16_t)~INODE_ODD;
		return err;
	}
	inode->state |= INODE_ODD;
	bounds = now;
	if (now.contra == 0 && now.others == 0) /* nothing but these speaks against the present division */
		bounds.nodes = 0;
	if (now.contra != 0)
		bounds.past = UINT32_MAX;
	err = find_change(c, fact, c->scratch, &bounds, &best, &found);
	/* some slots are wrong, not all of them */
	if (!err && !found && now.contra == 0 && now.nodes == 0 && now.pro > now.others)
		inode->state &= (uint16_t)~INODE_ODD;
	if (err || !found)
		return err;
	return witness_amend_bytes(c, fact->addr, best.at, best.width, best.value,
				   &(struct finding){ .problem = P_INODE_FIELD,
						      .nid = ino,
						      .ino = ino,
						      .has_block = 1,
						      .block = fact->addr,
						      .has_values = 1,
						      .found = get_field(c->scratch, &best),
						      .expected = best.value,
						      .text = best.name,
						      .witnesses = WITNESS_SUMMARY | WITNESS_CONTENTS });
}

/* Is it a finding that a wrong division of the inode makes? */
static bool is_sign(enum problem problem)
{
	switch (problem) {
	case P_ADDRESS:
	case P_INLINE_WORD:
	case P_INLINE_NODES:
	case P_DATA_EXIST:
	case P_INODE_EXTRA:
	case P_INODE_INLINE_XATTR:
	case P_INODE_INLINE_DATA:
	case P_INODE_INLINE_DENTRY:
	case P_XATTR_MAGIC:
	case P_XATTR_ENTRY:
	case P_ENCRYPT_CONTEXT:
		return true;
	default:
		return false;
	}
}

int witness_layouts(struct checker *c)
{
	bool is_common_known = false;
	uint32_t common = 0;
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->ino && f->nid == f->ino && is_sign((enum problem)f->problem))
			err = witness_layout(c, f->ino);
	}
	for (uint32_t i = 0; i < facts_whole_count(&c->facts) && !err; i++) { /* no plain inode is odd */
		const struct inode_fact *inode = facts_inode_at(&c->facts, i);

		if (inode->state & INODE_ODD) {
			err = witness_layout(c, inode->ino);
		} else if (shift_is_likely(c, inode)) {
			common = is_common_known ? common : fresh_common_slots(c);
			is_common_known = true;
			err = witness_shift(c, inode, common);
		}
	}
	return err;
}
