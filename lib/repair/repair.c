/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Run one round of a repair: the steps that make the facts of a check true, in one commit. A power cut leaves the
 * volume in its state before or after the round. repair_driver.c decides about rounds.
 */
#include "file/change.h"
#include "format/overprovision.h"
#include "log/commit.h"
#include "repair/repair.h"
#include "repair/repair_dirs.h"
#include "repair/repair_hold.h"
#include "repair/repair_left.h"
#include "repair/repair_links.h"
#include "repair/repair_need.h"
#include "repair/repair_nodes.h"
#include "repair/repair_quota.h"
#include "repair/repair_roots.h"
#include "repair/repair_shared.h"
#include "repair/repair_symlinks.h"
#include "repair/repair_tables.h"
#include "repair/repair_xattrs.h"
#include "volume/zone_map.h"

/* Make all changes through the file layer as one change. */
static int change_files(struct repair *r)
{
	struct change change;
	int err = change_begin(&change, r->vol);

	if (!err)
		err = repair_shared(r);
	if (!err)
		err = repair_nodes(r);
	if (!err)
		err = repair_sizes(r);
	if (!err)
		err = repair_symlinks(r);
	if (!err)
		err = repair_xattrs(r);
	if (!err)
		err = repair_dirs(r);
	if (!err)
		err = repair_links(r);
	if (!err)
		err = repair_quota(r);
	return change_end(&change, err);
}

static int run_steps(struct repair *r)
{
	int err = repair_hold(r);

	if (!err)
		err = repair_tables(r);
	return err ? err : change_files(r);
}

bool repair_roots_first(const struct checker *c)
{
	return repair_found(c, P_SB_FEATURES) || repair_found(c, P_SB_FEATURES_WRONG) ||
	       repair_found(c, P_SB_DOUBTED) || repair_found(c, P_SB_QUOTA_FILE) || repair_found(c, P_SB_ZONED) ||
	       repair_found(c, P_SB_ZONES_UNSAID);
}

/* Finish a resize that was interrupted: use the numbers of the superblock's size, if everything in use fits there. */
static void numbers_of_size(const struct repair *r, struct commit_form *form)
{
	const struct f2fs_geometry *geo = r->geo;
	const struct overprovision_input in = { .section_blocks = zones_section_blocks(r->vol),
						.main = geo->segment_count_main,
						.sections = geo->section_count,
						.segs_per_sec = geo->segs_per_sec };
	struct overprovision_output out;

	if (!repair_found(r->c, P_RESIZE_NUMBERS) || !overprovision_compute(&in, &out) ||
	    out.user_blocks < r->txn->valid_blocks)
		return;
	form->has_room = true;
	form->user_blocks = out.user_blocks;
	form->reserved_segments = out.reserved;
	form->overprovision_segments = out.overprovision;
}

/*
 * Commit. Until a check finds that all is well the volume is marked as needing one: later steps may be interrupted, or
 * fail.
 */
static int commit(struct repair *r)
{
	struct commit_form form = { 0 };

	numbers_of_size(r, &form);
	form.flags = FLAG_ckpt_flags_fsck;
	return txn_commit_as(r->vol, &form);
}

int repair_round(struct checker *c)
{
	struct repair r = { .c = c, .ctx = c->ctx, .vol = c->vol, .geo = c->geo };
	bool is_committed = false;
	int err;

	repair_left_init(&r);
	vec_init(&r.moved, c->ctx, sizeof(struct moved_slot));
	vec_init(&r.summaries, c->ctx, sizeof(struct kept_summary));
	map32_init(&r.dir_index, c->ctx);
	r.block = mem_alloc(c->ctx, c->geo->block_size);
	c->repair = &r;
	err = r.block ? repair_note_left(&r) : F2FS_ERR_NOMEM;
	if (!err && repair_roots_first(c)) {
		if (repair_found(c, P_SB_FEATURES) && !c->has_other_features)
			sb_set_feature(c->vol->sb, sb_feature(c->vol->sb) | F2FS_FEAT_EXTRA_ATTR);
		if (repair_found(c, P_SB_ZONED) || repair_found(c, P_SB_ZONES_UNSAID))
			sb_set_feature(c->vol->sb, sb_feature(c->vol->sb) ^ F2FS_FEAT_BLKZONED);
	} else if (!geometry_has(r.geo, F2FS_FEAT_RO)) {
		if (!err)
			err = run_steps(&r);
		if (!err) {
			err = commit(&r);
			is_committed = true; /* or begun: then the summaries may count */
		}
	}
	if (!err)
		err = repair_superblocks(&r);
	if (err) {
		struct f2fs_error_detail detail;

		txn_roll_back(c->vol);
		detail = c->ctx->error;
		if (!is_committed)
			repair_put_back_summaries(&r);
		c->ctx->error = detail;
	}
	c->repair = NULL;
	mem_free(c->ctx, r.block);
	vec_fini(&r.left);
	vec_fini(&r.moved);
	repair_forget_summaries(&r);
	map32_fini(&r.dir_index);
	return err;
}
