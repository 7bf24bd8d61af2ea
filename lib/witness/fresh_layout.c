/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Divide an inode that is made from its entry and its blocks. The room for extra fields and attributes decides how many
 * pointers it has, and with that the place in the file of each block below its nodes. Mount options and the age of the
 * volume decide about that room, so that a file usually has the same as its directory, or as other files. Summaries
 * know better: a slot in use past the pointers contradicts, and a file whose last slot in use is the last one of an
 * inode agrees.
 */
#include "witness/fresh_layout.h"

#include "witness/witness_unclaimed.h"

struct division {
	uint32_t extra; /* bytes of extra fields, 0: none */
	uint32_t words; /* of attributes */
};

#define MOST_DIVISIONS 6u
#define MOST_SAMPLES 1000u

static void divide(const struct f2fs_geometry *geo, uint8_t *block, const struct division *d)
{
	uint8_t *extra = block + INODE_ADDR_OFFSET;

	memset(extra, 0, extra_SIZE);
	inode_set_i_inline(block, (uint8_t)((d->extra ? FLAG_i_inline_extra_attr : 0) |
					    (d->words ? FLAG_i_inline_inline_xattr : 0)));
	if (!d->extra)
		return;
	extra_set_i_extra_isize(extra, (uint16_t)d->extra);
	if (geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR))
		extra_set_i_inline_xattr_size(extra, (uint16_t)d->words);
}

/* Count the slots of such an inode; 0: no inode can be divided so. */
static uint32_t slots_of(const struct f2fs_geometry *geo, const struct division *d)
{
	const uint32_t words = d->extra / 4 + d->words;

	if (words >= geo->addrs_per_inode || (d->words && d->words < INODE_LEAST_XATTR_WORDS) ||
	    d->words > inode_most_xattr_words(geo))
		return 0;
	return geo->addrs_per_inode - words;
}

uint32_t fresh_common_slots(const struct checker *c)
{
	uint32_t slots = 0, votes = 0;

	for (uint32_t i = 0; i < facts_inode_count(&c->facts) && i < MOST_SAMPLES; i++) {
		const struct inode_fact *inode = facts_inode_nth(&c->facts, i);

		if (!inode || inode->type != F2FS_TYPE_REGULAR || inode->cluster_blocks ||
		    (inode->state & INODE_MENDED))
			continue;
		if (votes == 0)
			slots = inode->slots;
		votes += inode->slots == slots ? 1 : -1u;
	}
	return slots;
}

/* List the usual divisions, the likeliest first. Returns their number. */
static unsigned list_usual(const struct f2fs_geometry *geo, const uint8_t *from, uint32_t common, struct division *out)
{
	const uint32_t all = geometry_has(geo, F2FS_FEAT_EXTRA_ATTR) ? extra_SIZE : 0;
	const bool is_flexible = geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR);
	unsigned count = 0;

	if (from) {
		struct inode_layout layout;

		inode_layout(geo, from, &layout);
		out[count++] = (struct division){ layout.extra_words * 4, layout.xattr_size / 4 };
	}
	if (common && common + all / 4 <= geo->addrs_per_inode) {
		out[count] = (struct division){ all, geo->addrs_per_inode - all / 4 - common };
		count += slots_of(geo, &out[count]) == common;
	}
	out[count++] = (struct division){ all, INODE_DEFAULT_XATTR_WORDS };
	out[count++] = (struct division){ all, 0 };
	if (all && !is_flexible) {
		out[count++] = (struct division){ 0, INODE_DEFAULT_XATTR_WORDS };
		out[count++] = (struct division){ 0, 0 };
	}
	return count;
}

/* Return the slot after the last one that a single block in use names. */
static uint32_t find_reach(const struct builder *b, f2fs_nid_t nid)
{
	uint32_t reach = 0;

	for (size_t i = unclaimed_first(&b->blocks, nid), end; i < b->blocks.count; i = end) {
		const struct unclaimed *one = vec_at(&b->blocks, i);

		if (one->nid != nid || one->slot >= b->c->geo->addrs_per_inode)
			break;
		end = unclaimed_end(&b->blocks, i);
		if (end == i + 1)
			reach = one->slot + 1;
	}
	return reach;
}

static struct division choose(const struct f2fs_geometry *geo, const uint8_t *from, uint32_t common, uint32_t reach,
			      bool has_nodes)
{
	struct division usual[MOST_DIVISIONS], other;
	const unsigned count = list_usual(geo, from, common, usual);

	for (unsigned i = 0; i < count; i++)
		if (slots_of(geo, &usual[i]) == reach && reach)
			return usual[i];
	other = usual[0];
	other.words = geo->addrs_per_inode - other.extra / 4 - (reach ? reach : 1);
	if (has_nodes && reach > slots_of(geo, &usual[0]) && geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR) &&
	    slots_of(geo, &other) == reach)
		return other;
	for (unsigned i = 0; i < count; i++)
		if (slots_of(geo, &usual[i]) > reach)
			return usual[i];
	return usual[0];
}

void fresh_layout(struct builder *b, const struct lost_inode *lost, const uint8_t *from)
{
	const struct f2fs_geometry *geo = b->c->geo;
	const bool is_in_root = lost->dir == geo->root_ino; /* which mkfs made, and not as a mount does */
	const struct division d = choose(geo, is_in_root ? NULL : from, b->common_slots, find_reach(b, lost->nid),
					 lost->has_nodes);

	divide(b->c->geo, b->block, &d);
}
