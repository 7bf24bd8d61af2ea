/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recover before a repair. A repair ends with a checkpoint, which would drop all data that was fsynced after the last
 * one. Recovery waits until the findings of the last checkpoint are reported and writing is allowed.
 *
 * It writes to blocks that are free in the SIT. An untrustworthy SIT would make it overwrite data that is to be
 * repaired. Then the recovery uses the checker's facts in place of the SIT, as a repair does. It is one commit in
 * either case: fsynced data is safe on the device before anything is repaired.
 *
 * An inode whose damage prevents its recovery is left alone, so that the others are recovered. If something cannot be
 * read, nothing is repaired at all. A listed orphan that a directory names is no orphan: it is not deleted. A file that
 * the recovery takes a name from has the right number of links before: the last name decides whether it is deleted.
 */
#include <f2fskit/recover.h>

#include "base/error.h"
#include "facts/cut.h"
#include "log/derive.h"
#include "recover/recover.h"
#include "recover/recover_open.h"
#include "recover/recovery_plan.h"
#include "recover/run.h"
#include "repair/repair.h"
#include "repair/repair_dirs.h"
#include "repair/repair_left.h"
#include "repair/repair_links.h"
#include "repair/repair_need.h"
#include "repair/repair_nodes.h"
#include "repair/repair_recover.h"
#include "repair/repair_tables.h"
#include "witness/witness.h"

#define MOST_LEFT 64u /* inodes that are left alone before the recovery is abandoned */

/* Could a block in use look free? */
static bool hides_blocks(enum problem problem)
{
	switch (problem) {
	case P_NAT_JOURNAL:
	case P_NAT_ADDRESS:
	case P_NAT_UNREADABLE:
	case P_SIT_JOURNAL:
	case P_SIT_UNREADABLE:
	case P_SIT_MISSING:
	case P_SIT_COUNT:
	case P_SIT_TYPE:
	case P_LOG_NOT_FREE:
	case P_LOG_TAIL:
	case P_BLOCK_SHARED:
		return true;
	default:
		return false;
	}
}

/* Is it an entry of the list of orphans that counts for nothing? */
static bool is_no_orphan(enum problem problem)
{
	return problem == P_ORPHAN_LINKED || problem == P_ORPHAN_ENTRY;
}

/* List the orphans that a directory names, and those that are no inodes. */
static int list_no_orphans(const struct checker *c, struct map32 *out)
{
	int err = 0;

	for (size_t i = 0; i < c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&c->findings, i);
		const uint32_t ino = f->problem == P_ORPHAN_LINKED ? f->ino : (uint32_t)f->found;

		if (is_no_orphan((enum problem)f->problem) && ino != UINT32_MAX) /* no key, and no node id */
			err = map32_set(out, ino, 1);
	}
	return err;
}

/* Nodes written after another checkpoint than the current one are found by a search, not by following its chain. */
static bool is_of_another_checkpoint(enum problem problem)
{
	return problem == P_CP_CONTENT || problem == P_CP_LOST;
}

/* Can the volume be recovered now, only once the facts are known, or not at all? */
enum verdict { RECOVER_NOW, RECOVER_ON_FACTS, RECOVER_NEVER };

static enum verdict judge(const struct checker *c)
{
	enum verdict verdict = RECOVER_NOW;

	for (size_t i = 0; i < c->findings.count; i++) {
		const enum problem problem = (enum problem)((const struct finding *)vec_at(&c->findings, i))->problem;

		if (is_of_another_checkpoint(problem))
			return RECOVER_NEVER;
		if (hides_blocks(problem) || is_no_orphan(problem) || problem == P_LINKS_FILE)
			verdict = RECOVER_ON_FACTS;
	}
	/* decisions of witnesses have to be written in the same commit, and nodes that were searched need the facts */
	if (verdict == RECOVER_NOW && (c->book->votes > 0 || c->vol->rescue))
		verdict = RECOVER_ON_FACTS;
	return verdict;
}

/* Does something wait, and can it be had? */
static int is_wanted(struct f2fs_volume *vol, bool *out)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan;
	int err = recovery_plan(vol, NULL, &plan);

	if (err)
		return err;
	f2fs_recovery_summarize(plan, &summary);
	f2fs_recovery_close(plan);
	*out = summary.needs_recovery && summary.end != F2FS_CHAIN_DISABLED;
	return 0;
}

/* Did a plan fail as the NAT lacks inodes? A search may find them. */
static bool lacks_inodes(const struct f2fs_context *ctx)
{
	const struct f2fs_rule *rule = f2fs_rule_find(ctx->error.rule);

	return rule && rule->id == RULE_NAT_FREE;
}

int repair_must_recover(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_check_options *options,
			bool *out, bool *is_unread)
{
	struct f2fs_open_options open = { 0 };
	struct f2fs_volume *vol;
	int err;

	if (options->open)
		open = *options->open;
	open.mode = F2FS_MODE_TOLERANT;
	open.pack = 0;
	open.recover = F2FS_RECOVER_NONE;
	err = volume_open_recovered(ctx, dev, &open, &vol);
	if (!err) {
		cut_shorten(vol, options->cut_at);
		err = is_wanted(vol, out);
		if (err == F2FS_ERR_CORRUPT && lacks_inodes(ctx))
			*out = true;
		*is_unread = err == F2FS_ERR_IO && !open.accept_unread;
		f2fs_volume_close(vol);
	}
	/* the check reports the obstacle to a recovery */
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED ? err : 0;
}

/* The recovery meets nodes as a repair leaves them: a wrong checksum or pointer stands in the way of nothing. */
static int begin_on_facts(void *user, const struct txn_keep *keep)
{
	struct repair *r = user;
	int err = repair_begin(r, keep);

	if (!err)
		err = repair_amended_entries(r);
	if (!err)
		err = repair_summaries(r);
	r->c->repair = r;
	if (!err)
		err = repair_nodes(r);
	if (!err)
		err = repair_amended_dirs(r);
	if (!err)
		err = repair_link_counts(r);
	r->c->repair = NULL;
	return err;
}

/* Recover all but the inodes that are left alone; *failed: the one that it failed at. */
static int try_on_facts(struct checker *c, const struct vec *left, f2fs_nid_t *failed, struct f2fs_recover_result *out)
{
	struct repair r = { .c = c, .ctx = c->ctx, .vol = c->vol, .geo = c->geo };
	struct map32 no_orphans;
	struct recovery_base base = {
		.user = &r, .begin = begin_on_facts, .left = left, .kept = &no_orphans
	};
	int err = F2FS_ERR_NOMEM;

	map32_init(&no_orphans, c->ctx);
	map32_init(&r.dir_index, c->ctx);
	repair_left_init(&r);
	vec_init(&r.summaries, c->ctx, sizeof(struct kept_summary));
	r.block = mem_alloc(c->ctx, c->geo->block_size);
	if (r.block)
		err = repair_note_left(&r);
	if (!err)
		err = list_no_orphans(c, &no_orphans);
	/* a search may come next, which trusts the SIT: blocks that this run leaves alone must stay in use there */
	r.keeps_strays = r.left.count > 0 || repair_needs_search(c);
	if (!err)
		err = recovery_apply_on(c->vol, &base, out);
	if (err && base.failed) /* at an inode, before the commit */
		repair_put_back_summaries(&r);
	repair_forget_summaries(&r);
	mem_free(c->ctx, r.block);
	vec_fini(&r.left);
	map32_fini(&no_orphans);
	map32_fini(&r.dir_index);
	*failed = base.failed;
	return err;
}

/* Leave a damaged inode alone, so that fsynced data of the others is still recovered. */
static int leave_alone(struct checker *c, struct vec *left, f2fs_nid_t ino)
{
	f2fs_nid_t *slot = vec_push(left, 1);

	if (!slot)
		return F2FS_ERR_NOMEM;
	*slot = ino;
	log_message(c->ctx, F2FS_LOG_WARNING, "inode %u: cannot recover its fsynced data: %s", (unsigned)ino,
		    c->ctx->error.message);
	error_clear(c->ctx);
	return 0;
}

static bool is_final(int err)
{
	return !err || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED;
}

/* It failed at an inode as something cannot be read, which may be intact: nothing is written then. */
static bool is_unread(const struct checker *c, int err, f2fs_nid_t failed)
{
	return err == F2FS_ERR_IO && failed && !c->vol->accepts_unread;
}

/*
 * Did it fail at no inode? Then the commit could not be written. To continue would drop data that another run may
 * recover.
 */
static bool is_unwritten(const struct checker *c, int err, f2fs_nid_t failed)
{
	return (err == F2FS_ERR_IO || err == F2FS_ERR_UNCERTAIN) && !failed && !c->vol->accepts_unread;
}

static int recover_on_facts(struct checker *c, struct f2fs_recover_result *out, bool *is_done)
{
	f2fs_nid_t failed = 0;
	struct vec left;
	int err;

	vec_init(&left, c->ctx, sizeof(f2fs_nid_t));
	err = try_on_facts(c, &left, &failed, out);
	while ((err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO) && failed && left.count < MOST_LEFT &&
	       !is_unread(c, err, failed)) {
		err = leave_alone(c, &left, failed);
		if (!err)
			err = try_on_facts(c, &left, &failed, out);
	}
	vec_fini(&left);
	*is_done = !err;
	if (is_final(err) || is_unwritten(c, err, failed))
		return err;
	if (is_unread(c, err, failed)) {
		log_message(c->ctx, F2FS_LOG_WARNING,
			    "inode %u: fsynced data needs unreadable blocks, so nothing is repaired: %s",
			    (unsigned)failed, c->ctx->error.message);
		error_clear(c->ctx);
		c->is_frozen = true;
		return 0;
	}
	log_message(c->ctx, F2FS_LOG_WARNING, "cannot recover fsynced data: %s", c->ctx->error.message);
	error_clear(c->ctx);
	return 0;
}

int repair_recover(struct checker *c, struct f2fs_recover_result *out, bool *is_done)
{
	const enum verdict verdict = judge(c);
	int err;

	if (verdict == RECOVER_NEVER)
		return 0;
	if (verdict == RECOVER_NOW) {
		err = recovery_apply_on(c->vol, NULL, out);
		*is_done = !err;
		if (is_final(err))
			return err;
		error_clear(c->ctx); /* it failed on the tables, but may succeed on the facts */
	}
	return recover_on_facts(c, out, is_done);
}
