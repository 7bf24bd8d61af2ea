/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List claims by a sweep over kept nodes that looks at pointers only.
 */
#include "facts/claims.h"

#include <stdlib.h>

#include "facts/node_digest.h"
#include "facts/sweep.h"

/* The sweep passes the checker to its callbacks, so the list being filled hangs there. */
static bool is_wanted(const struct checker *c, f2fs_blk_t addr)
{
	const struct seg_fact *seg;

	if (!geometry_is_main(c->geo, addr))
		return false;
	seg = facts_seg(&c->facts, geometry_segment_of(c->geo, addr));
	return seg && (seg->flags & c->claim_flag) && seg->segno >= c->claim_from && seg->segno < c->claim_end;
}

static int add_claim(struct checker *c, f2fs_blk_t addr, const struct nid_fact *fact, uint32_t slot, bool is_node)
{
	struct claim *claim;

	if (!is_wanted(c, addr))
		return 0;
	claim = vec_push(c->claims, 1);
	if (!claim)
		return F2FS_ERR_NOMEM;
	claim->addr = addr;
	claim->nid = fact->nid;
	claim->slot = (uint16_t)slot;
	claim->version = fact->version;
	claim->is_node = is_node;
	return 0;
}

static int list_slots(struct checker *c, const struct nid_fact *fact, const uint8_t *slots, uint32_t count)
{
	int err = 0;

	for (uint32_t i = 0; i < count && !err; i++)
		err = add_claim(c, get_le32(slots + (size_t)i * 4), fact, i, false);
	return err;
}

static int list_node(struct checker *c, const struct sweep_item *item, const uint8_t *block, uint32_t judged)
{
	const struct nid_fact *fact = facts_nid(&c->facts, item->tag);
	const struct inode_fact *inode = facts_owner(&c->facts, fact);
	struct inode_layout layout;
	int err = add_claim(c, fact->addr, fact, 0, true);

	(void)judged;
	if (err)
		return err;
	if (fact->kind == FACT_DIRECT)
		return list_slots(c, fact, block, inode->node_slots);
	if (fact->kind != FACT_INODE || (inode->state & INODE_ALIAS) ||
	    !inode_fact_has_contents(inode) || inode_fact_is_inline(inode))
		return 0;
	inode_layout(c->geo, block, &layout);
	return list_slots(c, fact, block + layout.slot_offset,
			  layout.slots < inode->slots ? layout.slots : inode->slots);
}

static int compare_claims(const void *a, const void *b)
{
	const struct claim *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr > y->addr ? 1 : -1;
	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	return (x->slot > y->slot) - (x->slot < y->slot);
}

/* Return the end of the window: the segments up to it have few enough blocks. The window has one segment at least. */
static f2fs_seg_t window_end(const struct checker *c, uint32_t seg_flag, f2fs_seg_t from)
{
	const uint32_t most = c->max_claims ? c->max_claims : MAX_CLAIMS;
	uint32_t blocks = 0;

	for (; from < c->geo->segment_count_main; from++) {
		const struct seg_fact *seg = facts_seg(&c->facts, from);

		if (!seg || !(seg->flags & seg_flag))
			continue;
		if (blocks && blocks + F2FS_SEGMENT_BLOCKS > most)
			break;
		blocks += F2FS_SEGMENT_BLOCKS;
	}
	return from;
}

int claims_collect(struct checker *c, uint32_t seg_flag, f2fs_seg_t *from, struct vec *claims)
{
	static const struct sweep sweep = { "owners", NULL, list_node, node_is_gone, node_is_same };
	int err;

	vec_init(claims, c->ctx, sizeof(struct claim));
	c->claims = claims;
	c->claim_flag = seg_flag;
	c->claim_from = *from;
	c->claim_end = *from = window_end(c, seg_flag, *from);
	err = sweep_kept(c, &sweep);
	if (!err)
		vec_sort(claims, compare_claims);
	return err;
}
