/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pass 3, the nodes: all inodes in device order, then all other nodes, so that the inode of a node is known first.
 * Needs the tables. Leaves inode_facts, kinds, owners, the tree (parent and place), claims of blocks, and the blocks of
 * directories and symlinks. Nodes outside any tree are dropped. Then the claims of the kept nodes are collected again.
 */
#include "check/passes.h"
#include "check/root_quota.h"
#include "facts/cut.h"
#include "facts/finding.h"
#include "facts/node_digest.h"
#include "facts/sweep.h"
#include "volume/rescue_features.h"
#include "volume/weigh.h"
#include "witness/further_parents.h"
#include "witness/witness.h"
#include "witness/witness_data.h"
#include "witness/witness_nodes.h"

/* The first time, and again in a recount. */
static const struct sweep sweep_inodes[] = { { "inodes", node_judge, node_digest, node_unreadable, NULL },
					     { "inodes", node_judge, node_digest, node_unreadable, node_is_same } };
static const struct sweep sweep_others[] = { { "nodes", node_judge, node_digest, node_unreadable, NULL },
					     { "nodes", node_judge, node_digest, node_unreadable, node_is_same } };

static bool is_inode(const struct checker *c, const struct nid_fact *fact)
{
	return fact->ino == fact->nid && (!c->is_recount || (fact->flags & FACT_KEPT));
}

static bool is_other(const struct checker *c, const struct nid_fact *fact)
{
	return fact->ino != fact->nid && (!c->is_recount || (fact->flags & FACT_KEPT));
}

/* Does a node of this kind hang in the right place below its parent? */
static bool fits(const struct nid_fact *fact, const struct nid_fact *parent)
{
	switch (fact->kind) {
	case FACT_DOUBLE:
	case FACT_XATTR:
		return parent->kind == FACT_INODE;
	case FACT_INDIRECT:
		return parent->kind == FACT_INODE || parent->kind == FACT_DOUBLE;
	default:
		return parent->kind == FACT_INODE || parent->kind == FACT_INDIRECT;
	}
}

/* Does a node belong where a pointer of this parent puts it? Parents are decided before. */
static bool belongs(const struct nid_fact *fact, const struct nid_fact *parent, uint32_t place)
{
	return parent && (parent->flags & FACT_KEPT) && parent->ino == fact->ino && place == fact->offset &&
	       fits(fact, parent);
}

/* Of a node that hangs in several places, the first one where it belongs counts. */
static const struct nid_fact *choose_parent(struct checker *c, struct nid_fact *fact, struct nid_fact *room)
{
	const struct nid_fact *parent = fact->parent ? facts_find_nid(&c->facts, fact->parent, room) : NULL;
	const struct vec *all = &c->further_parents;

	if (belongs(fact, parent, fact->place))
		return parent;
	for (size_t at = further_parents_of(c, fact->nid); at < all->count; at++) {
		const struct further_parent *further = vec_at(all, at);
		const struct nid_fact *other = facts_nid(&c->facts, further->parent);

		if (further->nid != fact->nid)
			break;
		if (belongs(fact, other, further->place)) {
			fact->parent = further->parent;
			fact->place = further->place;
			return facts_find_nid(&c->facts, further->parent, room);
		}
	}
	return parent;
}

/* Keep a node below its inode, if it hangs in a kept one, and nowhere else. */
static int link_node(struct checker *c, struct nid_fact *fact, bool *dropped)
{
	struct nid_fact room;
	const struct nid_fact *parent = choose_parent(c, fact, &room);

	*dropped = true;
	if (!parent && cut_has(c, fact->ino)) /* its parent is lost */
		return 0;
	if (!parent)
		return node_raise(c, P_NODE_LOST, fact, 0, 0);
	if (!(parent->flags & FACT_KEPT)) /* lost with its parent */
		return 0;
	if (parent->ino != fact->ino)
		return node_raise(c, P_NODE_CHILD_OWNER, fact, fact->nid, 0);
	if (fact->place != fact->offset)
		return node_raise(c, P_NODE_OFFSET, fact, fact->offset, fact->place);
	if (!fits(fact, parent))
		return node_raise(c, P_NODE_LOST, fact, 0, 0);
	fact->flags |= FACT_KEPT;
	*dropped = false;
	return 0;
}

/* From the inode down, so that a parent is decided before its children. */
static int link_nodes(struct checker *c, bool *any_dropped)
{
	static const uint8_t order[] = { FACT_DOUBLE, FACT_INDIRECT, FACT_DIRECT, FACT_XATTR };
	int err = 0;

	further_parents_sort(c);
	facts_keep_inodes(&c->facts);
	for (unsigned o = 0; o < sizeof(order); o++) {
		struct facts_walk walk = { 0 };
		struct nid_fact *fact;

		while (!err && (fact = facts_next_whole(&c->facts, &walk)) != NULL) {
			bool dropped = false;

			if (fact->kind == order[o])
				err = link_node(c, fact, &dropped);
			*any_dropped |= dropped;
		}
	}
	return err;
}

/* Collect claims again, from kept nodes alone. */
static int recount(struct checker *c)
{
	int err;

	facts_forget_claims(&c->facts);
	c->dir_addrs.count = 0;
	c->dir_blocks.count = 0;
	c->targets.count = 0;
	for (uint32_t i = 0; i < facts_whole_count(&c->facts); i++) {
		facts_inode_at(&c->facts, i)->compr_found = 0;
		facts_inode_at(&c->facts, i)->ext_seen = 0;
		facts_inode_at(&c->facts, i)->end_found = 0;
	}
	c->is_recount = true;
	err = sweep_nodes(c, &sweep_inodes[1], false, is_inode);
	if (!err)
		err = sweep_nodes(c, &sweep_others[1], true, is_other);
	c->is_recount = false;
	return err;
}

static void add_blocks(struct checker *c)
{
	struct f2fs_check_result *r = c->result;
	struct facts_walk walk = { 0 };
	const struct nid_fact *fact;

	c->facts.are_blocks_counted = true;
	while ((fact = facts_next(&c->facts, &walk)) != NULL) {
		struct inode_fact *inode;

		if (!(fact->flags & FACT_KEPT) || fact->inode == NO_INODE)
			continue;
		r->nodes++;
		r->blocks += 1u + fact->owned;
		if (fact->inode == PLAIN_INODE)
			continue;
		inode = facts_inode_at(&c->facts, fact->inode);
		inode->blocks_found += 1u + fact->owned;
		if (fact->kind == FACT_INODE && (inode->state & INODE_ALIAS)) {
			inode->blocks_found += inode->ext_len;
			r->blocks += inode->ext_len;
		}
	}
}

static int raise_features(struct checker *c)
{
	if (!c->has_other_features)
		return 0;
	return problem_raise(c, &(struct finding){ .problem = P_SB_FEATURES_WRONG,
						   .has_values = 1,
						   .found = c->feature_found,
						   .expected = c->geo->feature });
}

/*
 * Runs before any inode is judged. When most inodes contradict the superblock's features, the superblock is wrong: the
 * check starts again with the features that the inodes show.
 */
static int decide_features(struct checker *c)
{
	struct f2fs_volume *vol = c->vol;
	const uint32_t feature = vol->geo.feature;
	const uint64_t end = vol->geo.end_blkaddr;
	uint32_t decided, quota = 0;
	int err = 0;

	if (c->has_other_features)
		return 0;
	if (sb_s_encoding(vol->sb)) /* nothing but this feature needs an encoding */
		evidence_confirm(&c->evidence, F2FS_FEAT_CASEFOLD);
	if (!(feature & F2FS_FEAT_QUOTA))
		err = features_of_quota(vol, &quota);
	decided = (evidence_decide(&c->evidence, feature) | quota) & ~checkpoint_denied(vol->view->cp);
	/* a change of the UUID takes the feature away, and gives it back when all checksums are the new UUID's */
	if (!(feature & F2FS_FEAT_INODE_CHECKSUM) && !evidence_sums_hold(&c->evidence))
		decided &= ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM;
	if (err || decided == feature)
		return err;
	c->is_frozen &= c->is_foreign || !(feature & ~FEATURES_KNOWN);
	decided &= FEATURES_KNOWN; /* the feature word is damaged, so its unknown bits are damage, too */
	c->has_other_features = c->must_restart = true;
	c->feature_found = feature;
	sb_set_feature(vol->sb, decided);
	if ((decided & F2FS_FEAT_CASEFOLD) && sb_s_encoding(vol->sb) == 0)
		sb_set_s_encoding(vol->sb, 1);
	geometry_decode(&vol->geo, vol->sb);
	if (c->cut_end)
		vol->geo.end_blkaddr = end;
	c->plain = vol->geo;
	c->plain.feature &= ~(uint32_t)F2FS_FEAT_INODE_CHECKSUM;
	return 0;
}

int pass_nodes(struct checker *c)
{
	bool dropped = false;
	int err = raise_features(c);

	c->asks_heads = witness_may_vote(c) && !c->last_pass && !c->is_as_is;
	c->lost_heads = 0;
	if (!err)
		err = quota_raise_found(c);
	if (!err)
		err = witness_tell(c);
	if (!err)
		err = sweep_nodes(c, &sweep_inodes[0], false, is_inode);
	if (!err && !c->is_as_is)
		err = decide_features(c);
	if (!err && c->must_restart)
		return 0;
	if (!err)
		err = sweep_nodes(c, &sweep_others[0], true, is_other);
	if (!err && !facts_inode(&c->facts, c->geo->root_ino))
		err = problem_raise(c, &(struct finding){ .problem = P_ROOT_MISSING, .nid = c->geo->root_ino });
	if (!err)
		err = witness_nodes(c);
	if (!err && !c->must_restart && !c->is_as_is) /* after the inodes were put right */
		err = quota_find_files(c);
	if (err || c->must_restart)
		return err;
	err = link_nodes(c, &dropped);
	if (!err && dropped)
		err = recount(c);
	if (!err)
		add_blocks(c);
	if (!err)
		err = witness_data(c);
	return err || c->must_restart ? err : cut_tell(c);
}
