/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver of repair: check, repair, check again, until there is nothing left to do. Every round is one commit, so a
 * power cut leaves the volume as it was before a round or after it; the next run goes on from there. When the tables
 * that lead to nodes are damaged, nodes are searched by their footers first (volume/rescue.c).
 */
#include <f2fskit/recover.h>

#include "check/repair.h"

#include <string.h>

#define MAX_ROUNDS 8u
#define MAX_SEARCHES 2u /* what they do not find is not there */

bool repair_found(const struct checker *c, enum problem problem)
{
	for (size_t i = 0; i < c->findings.count; i++)
		if (((const struct finding *)vec_at(&c->findings, i))->problem == problem)
			return true;
	return false;
}

/* Problems that nothing can be done about, or that are no damage. */
static bool is_left(enum problem problem)
{
	switch (problem) {
	case P_DEVICE_SHORT:
	case P_CP_UNFINISHED:
	case P_CP_PENDING:
	case P_CP_DISABLED:
	case P_CLUSTER_DATA:
	case P_XATTR_TAIL:
	case P_XATTR_INDEX:
	case P_VERITY_DATA:
	case P_LOST_FOUND:
	case P_INODE_GC_FAILURES:
		return true;
	default:
		return false;
	}
}

static bool has_work(const struct checker *c)
{
	for (size_t i = 0; i < c->findings.count; i++)
		if (!is_left((enum problem)((const struct finding *)vec_at(&c->findings, i))->problem))
			return true;
	return false;
}

/* Does the SIT have other blocks of nodes than the NAT leads to? Then it may lead to what they were before. */
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

bool repair_needs_search(const struct checker *c)
{
	static const enum problem signs[] = { P_SB_NONE,	P_CP_NONE,	   P_NAT_ADDRESS, P_NAT_INO,
					      P_NAT_UNREADABLE, P_NODE_UNREADABLE, P_NODE_NID,	  P_NODE_CHILD_FREE,
					      P_ROOT_MISSING,	P_INODE_ROOT,	   P_DENTRY_DEAD, P_NAT_JOURNAL,
					      P_CP_CONTENT,	P_CP_LOST };

	for (unsigned i = 0; i < sizeof(signs) / sizeof(signs[0]); i++)
		if (repair_found(c, signs[i]))
			return true;
	return c->is_impossible || has_other_nodes(c);
}

static int run_steps(struct repair *r)
{
	struct change change;
	int err = repair_tables(r);

	if (!err)
		err = change_begin(&change, r->vol);
	if (!err)
		err = repair_shared(r);
	if (!err)
		err = repair_nodes(r);
	if (!err)
		err = repair_sizes(r);
	if (!err)
		err = repair_xattrs(r);
	if (!err)
		err = repair_dirs(r);
	if (!err)
		err = repair_links(r);
	if (!err)
		err = repair_quota(r);
	return err;
}

/* One round: everything the facts say, in one commit. */
static int run_round(struct checker *c)
{
	struct repair r = { .c = c, .ctx = c->ctx, .vol = c->vol, .geo = c->geo };
	int err;

	vec_init(&r.moved, c->ctx, sizeof(struct moved_slot));
	map32_init(&r.dir_index, c->ctx);
	r.block = mem_alloc(c->ctx, c->geo->block_size);
	c->repair = &r;
	err = r.block ? 0 : F2FS_ERR_NOMEM;
	/* Where the pointers of all inodes are depends on this feature: it is set before anything else is looked at. */
	if (!err && repair_found(c, P_SB_FEATURES)) {
		sb_set_feature(c->vol->sb, sb_feature(c->vol->sb) | F2FS_FEATURE_EXTRA_ATTR);
	} else {
		if (!err)
			err = run_steps(&r);
		if (!err)
			err = txn_commit(c->vol);
	}
	if (!err)
		err = repair_superblocks(c->vol);
	if (err) {
		struct f2fs_error_detail detail = c->ctx->error;

		txn_drop(c->vol);
		c->ctx->error = detail;
	}
	c->repair = NULL;
	mem_free(c->ctx, r.block);
	vec_fini(&r.moved);
	map32_fini(&r.dir_index);
	return err;
}

/* What is decided after a check. */
struct plan {
	bool may_search;
	bool wants_search; /* check again with a search for nodes */
	bool is_search;
	bool is_done;
	bool is_repaired;  /* a round was run */
	bool must_recover; /* what was fsynced still waits */
	struct f2fs_recover_result *recovered;
};

static int decide(struct checker *c, void *user)
{
	struct plan *plan = user;

	if (plan->must_recover && !c->is_impossible && !plan->is_search) {
		int err = repair_recover_put_off(c, plan->recovered, &plan->is_repaired);

		plan->must_recover = false;
		if (err || plan->is_repaired)
			return err;
	}
	plan->wants_search = plan->may_search && repair_needs_search(c);
	if (plan->wants_search)
		return 0;
	/* what a search found is not on the device yet, even if nothing else is wrong */
	plan->is_done = c->is_impossible || (!plan->is_search && !has_work(c));
	if (plan->is_done)
		return 0;
	plan->is_repaired = true;
	return run_round(c);
}

int repair_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		  struct f2fs_check_result *result)
{
	struct f2fs_check_options quiet = *options;
	struct f2fs_check_result first = { 0 };
	struct f2fs_recover_result recovered = { 0 };
	struct plan plan = { 0 };
	bool is_nameless = false, must_recover = false;
	unsigned rounds = 0;
	int err;

	err = repair_recover(ctx, dev, options, &recovered, &must_recover);
	if (err)
		return err;
	for (;;) {
		const bool is_search = plan.wants_search;

		memset(&plan, 0, sizeof(plan));
		plan.must_recover = must_recover;
		plan.recovered = &recovered;
		plan.is_search = is_search;
		plan.may_search = !is_search && rounds < MAX_SEARCHES;
		/* what was found is told once, as the first check found it */
		quiet.problem = rounds == 0 && (!is_search || is_nameless) ? options->problem : NULL;
		err = check_run(ctx, dev, &quiet, is_search ? F2FS_MODE_RESCUE : F2FS_MODE_TOLERANT, result, decide,
				&plan);
		if (err == F2FS_ERR_NOT_F2FS && !is_search) { /* no superblock at all: is there a volume? */
			plan.wants_search = true;
			is_nameless = true;
			continue;
		}
		if (err)
			return err;
		if (rounds == 0 && (!is_search || is_nameless))
			first = *result;
		must_recover = plan.must_recover;
		if (plan.wants_search)
			continue;
		if (plan.is_done || rounds == MAX_ROUNDS)
			break;
		rounds += plan.is_repaired;
	}
	result->recovered_nodes = recovered.nodes;
	result->recovered_inodes = recovered.inodes;
	result->recovered_orphans = recovered.orphans;
	result->rounds = rounds;
	result->left = result->found;
	result->found = first.found > result->left ? first.found : result->left;
	result->fixed = result->found - result->left;
	memcpy(result->severity, first.severity, sizeof(result->severity));
	result->notes = first.notes;
	if (result->state != F2FS_CHECK_IMPOSSIBLE)
		result->state = result->left ? F2FS_CHECK_LEFT : rounds ? F2FS_CHECK_REPAIRED : F2FS_CHECK_CLEAN;
	return 0;
}
