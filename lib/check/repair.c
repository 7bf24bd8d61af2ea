/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The driver of repair: check, repair, check again, until there is nothing left to do. Every round is one commit, so a
 * power cut leaves the volume as it was before a round or after it; the next run goes on from there. When the tables
 * that lead to nodes are damaged, nodes are searched by their footers first (volume/rescue.c).
 */
#include <f2fskit/recover.h>

#include "check/decisions.h"
#include "check/readings.h"
#include "check/repair.h"
#include "format/overprovision.h"
#include "volume/rescue.h"
#include "volume/zone_map.h"

#include <string.h>

#define MAX_ROUNDS 8u
#define MAX_SEARCHES 2u /* what they do not find is not there */

static int run_steps(struct repair *r)
{
	struct change change;
	int err = repair_hold(r);

	if (!err)
		err = repair_tables(r);
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

/* Where the pointers of all inodes are depends on the superblock: it is set before anything else is looked at. */
static bool roots_come_first(const struct checker *c)
{
	return repair_found(c, P_SB_FEATURES) || repair_found(c, P_SB_FEATURES_WRONG) ||
	       repair_found(c, P_SB_DOUBTED) || repair_found(c, P_SB_QUOTA_FILE);
}

/* A resize that was stopped: the numbers of the size that the superblock says, if they hold what is there. */
static bool settle_numbers(const struct repair *r, struct commit_form *form)
{
	const struct f2fs_geometry *geo = r->geo;
	const struct overprovision_input in = { .usable = zones_usable_segments(r->vol),
						.main = geo->segment_count_main,
						.sections = geo->section_count,
						.segs_per_sec = geo->segs_per_sec };
	struct overprovision_output out;

	if (!repair_found(r->c, P_RESIZE_NUMBERS) || !overprovision_compute(&in, &out))
		return false;
	*form = (struct commit_form){ .has_room = true };
	form->user_blocks = (uint64_t)(in.usable - out.overprovision) * F2FS_SEGMENT_BLOCKS;
	form->reserved_segments = out.reserved;
	form->overprovision_segments = out.overprovision;
	return form->user_blocks >= r->txn->valid_blocks;
}

static int commit(struct repair *r)
{
	struct commit_form form;

	return settle_numbers(r, &form) ? txn_commit_as(r->vol, &form) : txn_commit(r->vol);
}

/* One round: everything the facts say, in one commit. */
static int run_round(struct checker *c)
{
	struct repair r = { .c = c, .ctx = c->ctx, .vol = c->vol, .geo = c->geo };
	int err;

	repair_left_init(&r);
	vec_init(&r.moved, c->ctx, sizeof(struct moved_slot));
	map32_init(&r.dir_index, c->ctx);
	r.block = mem_alloc(c->ctx, c->geo->block_size);
	c->repair = &r;
	err = r.block ? repair_note_left(&r) : F2FS_ERR_NOMEM;
	if (!err && roots_come_first(c)) {
		if (repair_found(c, P_SB_FEATURES) && !c->has_other_features)
			sb_set_feature(c->vol->sb, sb_feature(c->vol->sb) | F2FS_FEATURE_EXTRA_ATTR);
	} else {
		if (!err)
			err = run_steps(&r);
		if (!err)
			err = commit(&r);
	}
	if (!err)
		err = repair_superblocks(&r);
	if (err) {
		struct f2fs_error_detail detail = c->ctx->error;

		txn_drop(c->vol);
		c->ctx->error = detail;
	}
	c->repair = NULL;
	mem_free(c->ctx, r.block);
	vec_fini(&r.left);
	vec_fini(&r.moved);
	map32_fini(&r.dir_index);
	return err;
}

/* What is decided after a check. */
struct plan {
	struct decisions decisions;
	struct f2fs_check_result first; /* of the check whose findings were told */
	unsigned rounds;
	uint64_t seen; /* digest of what the check before found */
	bool is_first; /* findings are told */
	bool may_search;
	bool wants_search; /* check again with a search for nodes */
	bool is_search;
	bool is_done;
	bool is_repaired;  /* a round was run */
	bool is_begun;	   /* something was committed: the older checkpoint is of no use any more */
	bool must_recover; /* what was fsynced still waits */
	bool is_recovered; /* it was made a part of the volume by this run */
	bool was_told;
	bool is_long_again; /* the volume was cut, but the device is not short any more */
	struct f2fs_recover_result recovered;
};

/* Hash all findings into one number, to see whether a round changed anything. */
static uint64_t digest_findings(const struct checker *c)
{
	uint64_t digest = c->findings.count + 1;

	for (size_t i = 0; i < c->findings.count; i++) {
		const struct finding *f = vec_at(&c->findings, i);
		const uint64_t values[] = { f->problem, f->nid, f->ino, f->segno, f->slot, f->found, f->expected };

		for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++)
			digest = (digest ^ values[k]) * 0x100000001B3u;
	}
	return digest;
}

static int decide(struct checker *c, void *user)
{
	struct plan *plan = user;
	const uint64_t seen = digest_findings(c), before = plan->seen;
	int err = 0;

	/* A block that cannot be read may be intact: a repair would drop what hangs on it and reuse its place. */
	if (c->vol && c->vol->rescue && c->vol->rescue->unread > 0)
		c->is_unread = true;
	c->is_frozen |= c->is_unread && !(c->vol && c->vol->accepts_unread);
	/* where nodes are searched, what the search leaves is looked at */
	if (!plan->is_begun && !(plan->may_search && repair_needs_search(c)))
		err = readings_try(c, &plan->decisions);
	if (!err)
		err = decisions_take(&plan->decisions, c, plan->is_first);
	plan->is_done = err || plan->decisions.is_stopped;
	if (plan->is_done)
		return err;
	if (c->is_frozen) {
		plan->is_done = true;
		return 0;
	}
	err = c->vol ? volume_check_roots(c->vol) : 0;
	if (err)
		return err;
	if (!c->is_impossible && !plan->is_search && decisions_want(c) && roots_come_first(c)) {
		plan->is_repaired = true;
		return run_round(c);
	}
	if (plan->must_recover && !c->is_impossible && !plan->is_search) {
		plan->must_recover = false;
		err = repair_recover(c, &plan->recovered, &plan->is_recovered);
		plan->is_begun |= plan->is_recovered;
		if (err || plan->is_recovered)
			return err;
	}
	plan->wants_search = plan->may_search && decisions_want(c) && repair_needs_search(c);
	if (plan->wants_search)
		return 0;
	/*
	 * After a search a round always follows: what was found is not on the device yet. When a round has changed no
	 * finding, another one would not either.
	 */
	plan->is_done = c->is_impossible || (!plan->is_search && (!decisions_want(c) || seen == before));
	plan->seen = plan->is_search ? 0 : seen;
	if (plan->is_done)
		return 0;
	plan->is_repaired = plan->is_begun = true;
	plan->is_long_again = c->cut_end != 0 && c->vol->barred.end == 0;
	return run_round(c);
}

/* Check and repair until nothing is left to be done. */
static int run_rounds(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		      struct plan *plan, struct f2fs_check_result *result)
{
	struct f2fs_check_options quiet = *options;
	struct check_run run = { .options = &quiet };
	bool is_nameless = false;
	int err = repair_must_recover(ctx, dev, options, &plan->must_recover);

	if (err)
		return err;
	quiet.problem = NULL;
	for (;;) {
		plan->is_search = plan->wants_search;
		plan->wants_search = plan->is_done = plan->is_repaired = plan->is_recovered = false;
		plan->may_search = !plan->is_search && plan->rounds < MAX_SEARCHES;
		/* what was found is told once, as the first check found it */
		plan->is_first = !plan->was_told && (!plan->is_search || is_nameless);
		run.mode = plan->is_search ? F2FS_MODE_RESCUE : F2FS_MODE_TOLERANT;
		err = check_run(ctx, dev, &run, result, decide, plan);
		if (err == F2FS_ERR_NOT_F2FS && !plan->is_search) { /* no superblock at all: is there a volume? */
			plan->wants_search = true;
			is_nameless = true;
			continue;
		}
		if (err)
			return err;
		if (plan->is_first)
			plan->first = *result;
		plan->was_told |= plan->is_first;
		if (plan->wants_search || plan->is_recovered)
			continue;
		if (plan->is_done || plan->rounds == MAX_ROUNDS)
			return 0;
		plan->rounds += plan->is_repaired;
		/* what lay behind the end was given up; on a device that is longer by now there may be something new */
		if (plan->is_repaired && plan->is_long_again)
			quiet.cut_at = 0;
	}
}

int repair_volume(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
		  struct f2fs_check_result *result)
{
	struct plan plan = { .rounds = 0 };
	int err = decisions_init(&plan.decisions, ctx, options);

	if (!err)
		err = run_rounds(ctx, dev, options, &plan, result);
	decisions_fini(&plan.decisions);
	if (err)
		return err;
	result->recovered_nodes = plan.recovered.nodes;
	result->recovered_inodes = plan.recovered.inodes;
	result->recovered_orphans = plan.recovered.orphans;
	result->rounds = plan.rounds;
	result->left = result->found;
	plan.first.found += plan.decisions.told_later;
	result->found = plan.first.found > result->left ? plan.first.found : result->left;
	result->fixed = result->found - result->left;
	memcpy(result->severity, plan.first.severity, sizeof(result->severity));
	result->notes = plan.first.notes;
	if (result->state != F2FS_CHECK_IMPOSSIBLE)
		result->state = result->left ? F2FS_CHECK_LEFT : plan.rounds ? F2FS_CHECK_REPAIRED : F2FS_CHECK_CLEAN;
	return 0;
}
