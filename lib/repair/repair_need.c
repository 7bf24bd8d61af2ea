/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Derive from the findings what a repair has to do.
 */
#include "repair/repair.h"
#include "repair/repair_need.h"
#include "witness/witness.h"
#include "witness/witness_entries.h"

bool repair_found(const struct checker *c, enum problem problem)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == problem && !(f->is_left && problem_kind(problem) == F2FS_REPAIR_CHOICE))
			return true;
	}
	return false;
}

bool repair_is_of_superblock(enum problem problem)
{
	switch (problem) {
	case P_SB_COPY:
	case P_SB_DIFFER:
	case P_SB_STOPPED:
	case P_SB_ERRORS:
	case P_SB_FEATURES:
	case P_SB_FEATURES_WRONG:
	case P_SB_DOUBTED:
	case P_SB_QUOTA_FILE:
	case P_SB_ZONED:
	case P_SB_ZONES_UNSAID:
		return true;
	default:
		return false;
	}
}

/* Do the SIT and the NAT disagree about where nodes are? Then the NAT may name old versions of them. */
static bool has_other_nodes(const struct checker *c)
{
	bool has_missing = false, has_extra = false;

	for (size_t i = 0; i < c->facts.segs.count; i++) {
		const struct seg_fact *seg = vec_at(&c->facts.segs, i);

		for (unsigned k = 0; k < sizeof(seg->sit_map); k++) {
			has_missing |= (seg->node_map[k] & ~seg->sit_map[k]) != 0;
			has_extra |= seg->sit_type >= F2FS_HOT_NODE &&
				     (seg->sit_map[k] & ~(seg->node_map[k] | seg->data_map[k])) != 0;
		}
	}
	return has_missing && has_extra;
}

/* Has the NAT journal entries that count for no node? The ends of one with too many entries are only guessed. */
static bool has_lost_entries(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);

		if (f->problem == P_NAT_JOURNAL && (f->rule == RULE_NATJ_COUNT || entries_are_lost(c)))
			return true;
	}
	return false;
}

bool repair_needs_search(const struct checker *c)
{
	static const enum problem signs[] = { P_SB_NONE,	P_CP_NONE,	   P_NAT_ADDRESS, P_NAT_INO,
					      P_NAT_UNREADABLE, P_NODE_UNREADABLE, P_NODE_NID,	  P_NODE_CHILD_FREE,
					      P_ROOT_MISSING,	P_INODE_ROOT,	   P_DENTRY_DEAD, P_CP_CONTENT,
					      P_CP_LOST };

	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (repair_found(c, signs[i]))
			return true;
	return c->is_impossible || has_other_nodes(c) || has_lost_entries(c);
}
