/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on nodes, in four steps: which block is which node, whose node it is and of which offset, its place in the tree,
 * and the contents of a node whose block is lost. After each step that amends something the check begins again.
 */
#include <string.h>

#include "base/bitmap.h"
#include "volume/nat_read.h"
#include "witness/further_parents.h"
#include "witness/witness.h"
#include "witness/witness_bits.h"
#include "witness/witness_direct.h"
#include "witness/witness_entries.h"
#include "witness/witness_layout.h"
#include "witness/witness_nodes.h"
#include "witness/witness_rebuild.h"
#include "witness/witness_swaps.h"
#include "witness/witness_tree.h"
#include "witness/witness_unplaced.h"

/* A block of a node segment that the SIT has in use and that is no node by the NAT. */
struct stray {
	f2fs_nid_t nid, ino; /* by its footer, and its summary if there is one */
	uint32_t offset, cp_ver;
	f2fs_blk_t addr;
};

struct vote {
	struct checker *c;
	struct vec strays; /* by nid, the newest first */
	struct vec loose;  /* struct loose_node */
};

/* ---- is there anything to vote on? */

static bool is_in_sit(const struct checker *c, f2fs_blk_t addr)
{
	const struct seg_fact *seg = facts_seg(&c->facts, geometry_segment_of(c->geo, addr));

	return seg && msb_test(seg->sit_map, geometry_offset_of(c->geo, addr));
}

static bool is_part(const struct nid_fact *fact)
{
	return fact->kind >= FACT_DIRECT;
}

static bool has_strays(const struct seg_fact *seg)
{
	for (unsigned i = 0; i < sizeof(seg->sit_map); i++)
		if (seg->sit_map[i] & ~(seg->node_map[i] | seg->data_map[i]))
			return true;
	return false;
}

static bool is_suspect(const struct checker *c, const struct nid_fact *fact)
{
	if (fact->kind == FACT_BAD || (fact->flags & FACT_DOUBTED))
		return true;
	return (is_part(fact) && !node_hangs(c, fact)) || !is_in_sit(c, fact->addr);
}

static bool has_reason(const struct checker *c)
{
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	while ((fact = facts_next(&c->facts, &walk)) != NULL)
		if (is_suspect(c, fact))
			return true;
	for (size_t i = 0; i < c->facts.segs.count; i++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, i);

		if (seg->sit_type >= F2FS_HOT_NODE && has_strays(seg))
			return true;
	}
	return false;
}

/* ---- strays */

static int compare_strays(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;
	const int32_t age = (int32_t)(y->cp_ver - x->cp_ver);

	if (x->nid != y->nid)
		return x->nid > y->nid ? 1 : -1;
	if (age != 0)
		return age > 0 ? 1 : -1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

static int look_at_stray(struct vote *v, f2fs_blk_t addr)
{
	struct checker *c = v->c;
	struct block_view view;
	struct stray *stray;
	bool is_readable;
	int err = witness_view(c, addr, &view, &is_readable);

	if (err || !is_readable || !geometry_is_nid(c->geo, view.nid) || !geometry_is_nid(c->geo, view.ino))
		return err;
	if (view.has_sum && (!view.is_node_sum || view.sum_nid != view.nid))
		return 0;
	stray = vec_push(&v->strays, 1);
	if (!stray)
		return F2FS_ERR_NOMEM;
	*stray = (struct stray){
		.nid = view.nid, .ino = view.ino, .offset = view.offset, .cp_ver = view.cp_ver, .addr = addr
	};
	return 0;
}

static int collect_strays(struct vote *v)
{
	struct checker *c = v->c;
	int err = 0;

	for (size_t s = 0; s < c->facts.segs.count && !err; s++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, s);
		const f2fs_blk_t start = geometry_segment_start(c->geo, seg->segno);

		if (seg->sit_type < F2FS_HOT_NODE || seg->sit_type >= F2FS_LOG_COUNT || !has_strays(seg))
			continue;
		for (uint32_t i = 0; i < F2FS_SEGMENT_BLOCKS && !err; i++)
			if (msb_test(seg->sit_map, i) && !msb_test(seg->node_map, i) && !msb_test(seg->data_map, i))
				err = look_at_stray(v, start + i);
	}
	vec_sort(&v->strays, compare_strays);
	return err;
}

static int compare_nids(const void *a, const void *b)
{
	const struct stray *x = a, *y = b;

	return (x->nid > y->nid) - (x->nid < y->nid);
}

/* The newest stray that is this node; NULL: none, or two that are equally new. */
static const struct stray *find_stray(const struct vote *v, f2fs_nid_t nid)
{
	const size_t at = vec_first(&v->strays, compare_nids, &(struct stray){ .nid = nid });
	const struct stray *found = at < v->strays.count ? vec_at(&v->strays, at) : NULL;
	const struct stray *next = at + 1 < v->strays.count ? vec_at(&v->strays, at + 1) : NULL;

	if (!found || found->nid != nid || (next && next->nid == nid && next->cp_ver == found->cp_ver))
		return NULL;
	return found;
}

/* ---- which block is which node */

static int amend_footer(struct checker *c, const struct nid_fact *fact, uint32_t field, uint32_t value,
			const struct finding *why)
{
	return witness_amend_bytes(c, fact->addr, node_bytes(c->geo) + field, 4, value, why);
}

static struct finding footer_finding(const struct nid_fact *fact, const char *name, uint32_t found, uint32_t expected,
				     unsigned witnesses)
{
	return (struct finding){ .problem = P_NODE_FOOTER,
				 .nid = fact->nid,
				 .ino = fact->ino,
				 .has_block = 1,
				 .block = fact->addr,
				 .has_values = 1,
				 .found = found,
				 .expected = expected,
				 .text = name,
				 .witnesses = (uint16_t)witnesses };
}

static struct finding entry_finding(const struct nid_fact *fact, f2fs_nid_t nid, const char *name, uint32_t found,
				    uint32_t expected, unsigned witnesses)
{
	return (struct finding){ .problem = P_NAT_ENTRY,
				 .nid = nid,
				 .ino = fact ? fact->ino : 0,
				 .has_values = 1,
				 .found = found,
				 .expected = expected,
				 .text = name,
				 .witnesses = (uint16_t)witnesses };
}

/* Does the pointer that leads to a node agree with this footer, except for the number? */
static bool pointer_confirms(const struct checker *c, const struct nid_fact *fact, const struct block_view *view)
{
	const struct nid_fact *parent = fact->flags & FACT_CLAIMED ? facts_nid(&c->facts, fact->parent) : NULL;

	return parent && parent->ino == view->ino && fact->place == view->offset;
}

/* Does the block read as an inode that was written, regardless of its footer? */
static int reads_as_inode(struct checker *c, const struct nid_fact *fact, const struct block_view *view, bool *out)
{
	bool is_readable;
	uint8_t *footer;
	int err = witness_copy_block(c, fact->addr, &is_readable);

	*out = false;
	if (err || !is_readable)
		return err;
	footer = node_footer_w(c->geo, c->scratch);
	footer_set_nid(footer, fact->nid);
	footer_set_ino(footer, fact->nid);
	*out = view->cp_ver != 0 && inode_check(&c->plain, c->scratch, fact->nid, 0) == RULE_NONE;
	return 0;
}

/* Is a block all of another node that the NAT has elsewhere: a block that was written over this one's? */
static bool is_foreign(const struct checker *c, const struct nid_fact *fact, const struct block_view *view)
{
	const struct nid_fact *other = facts_nid(&c->facts, view->nid);

	return other && other->ino == view->ino && other->addr != fact->addr &&
	       (view->ino != fact->ino || ((fact->flags & FACT_CLAIMED) && fact->place != view->offset) ||
		(fact->ino == fact->nid) != (view->offset == 0));
}

/* The NAT leads to a block whose footer has another number: is it the node all the same? */
static int vote_on_number(struct checker *c, const struct nid_fact *fact)
{
	unsigned witnesses = WITNESS_NAT;
	struct block_view view;
	struct finding why;
	bool is_readable, is_inode = false;
	int err = witness_view(c, fact->addr, &view, &is_readable);

	if (err || !is_readable || view.nid == fact->nid || (view.has_sum && view.sum_nid == view.nid))
		return err;
	if (fact->ino == fact->nid && view.offset != 0) /* an inode with a wrong footer, or a node below one? */
		err = reads_as_inode(c, fact, &view, &is_inode);
	if (err || (!is_inode && is_foreign(c, fact, &view)))
		return err;
	is_inode = false;
	if (!view.has_sum && facts_nid(&c->facts, view.nid) && facts_nid(&c->facts, view.nid)->addr == fact->addr)
		return 0;
	if (view.has_sum && view.is_node_sum && view.sum_nid == fact->nid)
		witnesses |= WITNESS_SUMMARY;
	if (pointer_confirms(c, fact, &view))
		witnesses |= WITNESS_POINTER;
	if (fact->ino == fact->nid && (witnesses & WITNESS_SUMMARY) && view.offset == 0)
		err = reads_as_inode(c, fact, &view, &is_inode);
	/* the rest of the block's identity must fit, or it is another node */
	if (err || (view.ino != fact->ino && !(witnesses & WITNESS_POINTER) && !is_inode) ||
	    (witnesses == WITNESS_NAT && (view.has_sum || fact->ino != fact->nid)))
		return err;
	why = footer_finding(fact, "nid", view.nid, fact->nid, witnesses);
	return amend_footer(c, fact, footer_OFS_nid, fact->nid, &why);
}

/* The NAT leads nowhere, to another node, or to a block that is free in the SIT: is the node somewhere else? */
static int vote_on_address(struct vote *v, const struct nid_fact *fact)
{
	struct checker *c = v->c;
	const struct stray *stray = find_stray(v, fact->nid);
	struct f2fs_nat_info entry;
	struct finding why;
	int err;

	if (!stray || stray->addr == fact->addr)
		return 0;
	if (fact->kind != FACT_BAD) { /* the NAT leads to an older version of it */
		struct block_view view;
		bool is_readable;

		err = witness_view(c, fact->addr, &view, &is_readable);
		if (err || (is_readable && (int32_t)(stray->cp_ver - view.cp_ver) <= 0))
			return err;
	}
	err = nat_get_stored(c->vol, fact->nid, &entry);
	if (err)
		return err;
	why = entry_finding(fact, fact->nid, "block_addr", entry.block_addr, stray->addr,
			    WITNESS_FOOTER | WITNESS_SUMMARY | WITNESS_SIT);
	entry.block_addr = stray->addr;
	if (!geometry_is_nid(c->geo, entry.ino))
		entry.ino = stray->ino;
	return witness_amend_entry(c, &entry, &why);
}

/* The NAT has the id free, but a block is this node, and something leads to it. */
static int revive(struct vote *v, f2fs_nid_t nid, const struct stray *stray, unsigned witnesses)
{
	struct f2fs_nat_info entry;
	struct finding why;
	int err = nat_get_stored(v->c->vol, nid, &entry);

	if (err)
		return err;
	why = entry_finding(NULL, nid, "block_addr", entry.block_addr, stray->addr,
			    witnesses | WITNESS_FOOTER | WITNESS_SUMMARY | WITNESS_SIT);
	why.ino = stray->ino;
	entry.block_addr = stray->addr;
	entry.ino = stray->ino;
	return witness_amend_entry(v->c, &entry, &why);
}

/* Vote on pointers to free ids, whose place is the one in the footer. */
static int vote_on_free(struct vote *v)
{
	struct checker *c = v->c;
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);
		const struct stray *stray =
			f->problem == P_NODE_CHILD_FREE ? find_stray(v, (f2fs_nid_t)f->found) : NULL;
		struct tree_place place;

		if (!stray || stray->ino != f->ino || facts_nid(&c->facts, stray->nid))
			continue;
		err = tree_find_place(c, stray->ino, stray->offset, &place);
		if (!err && place.state == PLACE_FREE && place.value == stray->nid)
			err = revive(v, stray->nid, stray, WITNESS_POINTER);
	}
	return err;
}

/* Nodes whose inode has no NAT entry: they lead to it, as both their footer and entry name it. */
static int vote_on_owner(struct vote *v, const struct nid_fact *fact)
{
	const struct stray *stray = facts_nid(&v->c->facts, fact->ino) ? NULL : find_stray(v, fact->ino);
	struct block_view view;
	bool is_readable;
	int err;

	if (!stray || stray->ino != stray->nid)
		return 0;
	err = witness_view(v->c, fact->addr, &view, &is_readable);
	if (err || !is_readable || view.ino != fact->ino)
		return err;
	return revive(v, stray->nid, stray, WITNESS_NODES);
}

static int vote_on_blocks(struct vote *v)
{
	struct checker *c = v->c;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next(&c->facts, &walk)) != NULL) {
		if (fact->kind == FACT_BAD && fact->addr != 0) {
			err = vote_on_number(c, fact);
			if (!err)
				err = vote_on_owner(v, fact);
		}
		if (!err && !witness_amends_node(c, fact) &&
		    (fact->kind == FACT_BAD || !is_in_sit(c, fact->addr)))
			err = vote_on_address(v, fact);
	}
	return err ? err : vote_on_free(v);
}

/* ---- whose node it is, and of which offset */

/* Claims about a node's place in its file. */
struct claims_of_node {
	const struct nid_fact *fact;
	const struct nid_fact *parent; /* with the pointer that leads to it; NULL: none that can be believed */
	struct f2fs_nat_info entry;
	struct block_view view;
};

static int amend_owner(struct checker *c, struct claims_of_node *n, f2fs_nid_t ino, unsigned witnesses)
{
	struct finding why;
	int err = 0;

	if (n->view.ino != ino) {
		why = footer_finding(n->fact, "ino", n->view.ino, ino, witnesses & ~(unsigned)WITNESS_FOOTER);
		err = amend_footer(c, n->fact, footer_OFS_ino, ino, &why);
	}
	if (!err && n->entry.ino != ino) {
		why = entry_finding(n->fact, n->fact->nid, "ino", n->entry.ino, ino,
				    witnesses & ~(unsigned)WITNESS_NAT);
		n->entry.ino = ino;
		err = witness_amend_entry(c, &n->entry, &why);
	}
	return err;
}

/* Is the place of a node in this inode's tree free and within its size, or does the pointer there lead to the node? */
static int is_missing_in(struct checker *c, f2fs_nid_t ino, f2fs_nid_t nid, uint32_t offset, bool *out)
{
	const struct inode_fact *inode = facts_inode(&c->facts, ino);
	struct tree_place place;
	int err = tree_find_place(c, ino, offset, &place);

	*out = !err && inode &&
	       (place.state == PLACE_FREE || (place.state == PLACE_TAKEN && place.value == nid)) &&
	       (offset == XATTR_NODE_OFFSET ||
		node_first_block(c->geo, inode->slots, inode->node_slots, offset) << c->geo->block_bits < inode->size);
	return err;
}

static int compare_loose(const void *a, const void *b)
{
	const struct loose_node *x = a, *y = b;
	const int order = loose_compare_places(a, b);

	return order ? order : (x->nid > y->nid) - (x->nid < y->nid);
}

/* Does another node outside the tree claim that place? */
static bool has_rival(const struct vote *v, f2fs_nid_t ino, uint32_t place)
{
	const struct loose_node key = { .ino = ino, .offset = place };

	return vec_find(&v->loose, loose_compare_places, &key) != NULL;
}

static int vote_on_ino(struct vote *v, struct claims_of_node *n)
{
	struct checker *c = v->c;
	const f2fs_nid_t nid = n->fact->nid, by_footer = n->view.ino, by_nat = n->entry.ino;
	bool is_in_footers, is_in_nats, is_inode = false;
	int err = 0;

	/* only an inode has its own number as that of its inode, whatever its offset and the NAT say */
	if (!n->parent && by_footer == nid)
		err = reads_as_inode(c, n->fact, &n->view, &is_inode);
	if (!err && is_inode)
		return amend_owner(c, n, nid, WITNESS_FOOTER | WITNESS_CONTENTS);
	if (err)
		return err;
	if (!n->parent && (by_footer == nid) + (by_nat == nid) + (n->view.offset == 0) >= 2)
		return amend_owner(c, n, nid, WITNESS_NAT | WITNESS_FOOTER);
	if (by_footer == by_nat)
		return 0;
	if (n->parent && n->parent->ino == by_footer)
		return amend_owner(c, n, by_footer, WITNESS_FOOTER | WITNESS_POINTER);
	if (n->parent && n->parent->ino == by_nat)
		return amend_owner(c, n, by_nat, WITNESS_NAT | WITNESS_POINTER);
	if (n->parent && n->fact->place == n->view.offset && !has_rival(v, n->parent->ino, n->fact->place))
		return amend_owner(c, n, n->parent->ino, WITNESS_POINTER | WITNESS_TREE);
	err = is_missing_in(c, by_footer, nid, n->view.offset, &is_in_footers);
	if (!err)
		err = is_missing_in(c, by_nat, nid, n->view.offset, &is_in_nats);
	if (err || is_in_footers == is_in_nats)
		return err;
	return is_in_footers ? amend_owner(c, n, by_footer, WITNESS_FOOTER | WITNESS_TREE)
			     : amend_owner(c, n, by_nat, WITNESS_NAT | WITNESS_TREE);
}

/* The one pointer to a node implies another place than its footer, and no other node claims that place. */
static int vote_on_offset(struct vote *v, const struct claims_of_node *n)
{
	const struct nid_fact *fact = n->fact;
	struct finding why;

	if (!n->parent || n->parent->ino != n->view.ino || fact->place == n->view.offset ||
	    has_rival(v, n->view.ino, fact->place) || further_parents_has(v->c, fact->nid))
		return 0;
	why = footer_finding(fact, "node_offset", n->view.offset, fact->place, WITNESS_POINTER | WITNESS_TREE);
	return amend_footer(v->c, fact, footer_OFS_flag, fact->place << 3 | (n->view.flag & 7), &why);
}

static int vote_on_node(struct vote *v, const struct nid_fact *fact)
{
	struct claims_of_node n = { .fact = fact };
	bool is_readable;
	int err = witness_view(v->c, fact->addr, &n.view, &is_readable);

	if (err || !is_readable || n.view.nid != fact->nid)
		return err;
	err = nat_get_stored(v->c->vol, fact->nid, &n.entry);
	if (err)
		return err;
	n.parent = fact->flags & FACT_CLAIMED ? facts_nid(&v->c->facts, fact->parent) : NULL;
	if (n.parent && (n.parent->kind < FACT_INODE || (n.parent->flags & FACT_DOUBTED)))
		n.parent = NULL;
	if (fact->flags & FACT_DOUBTED)
		err = vote_on_ino(v, &n);
	return err ? err : vote_on_offset(v, &n);
}

static int vote_on_places(struct vote *v)
{
	struct checker *c = v->c;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;
	int err = 0;

	while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		if (fact->addr != 0 && ((fact->flags & FACT_DOUBTED) || fact->kind == FACT_BAD ||
					(is_part(fact) && !node_hangs(c, fact))))
			err = vote_on_node(v, fact);
	}
	return err;
}

/* ---- where it hangs */

static int collect_loose(struct vote *v)
{
	struct checker *c = v->c;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	while ((fact = facts_next_whole(&c->facts, &walk)) != NULL) {
		struct loose_node *loose;

		if (!is_part(fact) || (fact->flags & FACT_DOUBTED) || node_hangs(c, fact) ||
		    node_hangs_further(c, fact))
			continue;
		loose = vec_push(&v->loose, 1);
		if (!loose)
			return F2FS_ERR_NOMEM;
		*loose = (struct loose_node){ .ino = fact->ino, .nid = fact->nid, .offset = fact->offset };
	}
	vec_sort(&v->loose, compare_loose);
	return 0;
}

int witness_nodes(struct checker *c)
{
	struct vote v = { .c = c };
	int err;

	if (!witness_may_vote(c))
		return 0;
	err = witness_swapped_nodes(c);
	if (!err && !c->must_restart)
		err = witness_bits(c);
	if (!err && !c->must_restart)
		err = witness_layouts(c);
	if (!err && !c->must_restart)
		err = witness_entries(c);
	if (err || c->must_restart || !has_reason(c)) {
		c->book->votes += c->must_restart;
		return err;
	}
	vec_init(&v.strays, c->ctx, sizeof(struct stray));
	vec_init(&v.loose, c->ctx, sizeof(struct loose_node));
	further_parents_sort(c);
	err = collect_strays(&v);
	if (!err)
		err = vote_on_blocks(&v);
	if (!err && !c->must_restart)
		err = collect_loose(&v);
	if (!err && !c->must_restart)
		err = vote_on_places(&v);
	if (!err && !c->must_restart)
		err = tree_hang_loose(c, &v.loose);
	if (!err && !c->must_restart)
		err = witness_rebuild(c, &v.loose);
	if (!err && !c->must_restart)
		err = witness_unplaced(c, &v.loose);
	if (!err && !c->must_restart)
		err = witness_direct(c);
	vec_fini(&v.strays);
	vec_fini(&v.loose);
	c->book->votes += c->must_restart;
	return err;
}
