/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of every public change: the transaction is started, memory is kept bounded, and a call that fails after it
 * has changed something leaves a transaction that can only be dropped. A call that fails before that, as most do that
 * fail by their arguments, leaves the transaction as it was.
 */
#include <f2fskit/write.h>

#include "base/error.h"
#include "file/change.h"
#include "file/change_rules.h"
#include "file/change_trim.h"
#include "file/cluster_write.h"
#include "file/handle_list.h"
#include "file/inode_past.h"
#include "file/orphan.h"
#include "file/page_store.h"
#include "file/pages_flush.h"
#include "file/quota_count.h"
#include "file/quota_write.h"
#include "file/run.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/commit.h"
#include "log/segments.h"
#include "log/space.h"
#include "log/txn.h"
#include "log/txn_state.h"

static int prepare_commit(struct txn *txn)
{
	int err = orphans_free(txn);

	if (!err)
		err = quota_store(txn);
	return err ? err : pages_flush(txn);
}

static int start(struct txn *txn)
{
	txn->file = mem_zalloc(txn->vol->ctx, sizeof(*txn->file));
	if (!txn->file)
		return F2FS_ERR_NOMEM;
	map32_init(&txn->file->pages, txn->vol->ctx);
	return 0;
}

static void forget_all(struct txn *txn)
{
	handles_settle(txn);
	if (!txn->file)
		return;
	quota_drop(txn);
	pages_drop(txn);
	clusters_drop(txn);
	mem_free(txn->vol->ctx, txn->file);
	txn->file = NULL;
	if (!txn->is_done)
		volume_forget_filing(txn->vol);
}

const struct txn_ops file_ops = { .start = start, .prepare = prepare_commit, .forget = forget_all };

static int commit_between(struct f2fs_volume *vol)
{
	int err = txn_commit(vol);

	return err ? err : change_start(vol);
}

/*
 * Between two changes: run GC when there are too few free sections. GC commits, so the caller must have allowed
 * commits, unless nothing was changed yet: then the volume holds the same before and after.
 */
static int clean_between(struct f2fs_volume *vol, uint32_t more)
{
	const bool is_fresh = txn_is_fresh(vol);
	uint32_t least = 0, goal = 0;
	int err = 0;

	if (vol->ops.reclaim && (is_fresh || vol->write.commit_when_full))
		err = space_wants_cleaning(vol->txn, more, &least, &goal);
	if (!err && goal > 0 && !is_fresh) {
		err = commit_between(vol);
		if (!err)
			err = space_wants_cleaning(vol->txn, more, &least, &goal);
	}
	if (err || goal == 0)
		return err;
	txn_drop(vol);
	err = vol->ops.reclaim(vol, least, goal);
	return err ? err : change_start(vol);
}

/* Between two changes: commit, and run GC, when room runs low and the caller allows it. */
static int make_room(struct f2fs_volume *vol)
{
	bool wanted = false;
	int err = vol->write.commit_when_full ? space_wants_commit(vol->txn, &wanted) : 0;

	if (!err && wanted)
		err = commit_between(vol);
	return err ? err : clean_between(vol, 0);
}

int change_win_sections(struct change *c, uint64_t wanted, bool *won)
{
	struct f2fs_volume *vol = c->vol;
	const uint64_t before = cp_checkpoint_ver(vol->view->cp);
	int err = 0;

	*won = false;
	if (wanted < vol->geo.section_count && vol->txn && vol->generation == c->generation)
		err = clean_between(vol, (uint32_t)wanted);
	c->generation = vol->generation;
	*won = !err && cp_checkpoint_ver(vol->view->cp) != before;
	return err;
}

/* Set the options of one change, so that they do not affect other calls. */
static int begin(struct change *c, struct f2fs_volume *vol, const struct change_rules *rules)
{
	int err;

	error_clear(vol->ctx);
	c->vol = vol;
	c->generation = vol->generation;
	err = change_start(vol);
	if (err)
		return err;
	err = txn_need_sound(vol->txn);
	if (!err)
		err = make_room(vol);
	if (err)
		return err;
	txn_tick(vol->txn);
	vol->txn->file->rules = rules;
	err = change_trim(vol->txn);
	if (!err)
		err = orphans_free(vol->txn);
	if (err)
		txn_fail(vol->txn);
	c->generation = vol->generation;
	return err;
}

int change_begin(struct change *c, struct f2fs_volume *vol)
{
	return begin(c, vol, NULL);
}

int change_begin_on(struct change *c, const struct f2fs_inode *inode)
{
	int err;

	error_clear(inode->vol->ctx);
	c->vol = inode->vol;
	c->generation = inode->vol->generation;
	err = inode_need_current(inode);
	return err ? err : begin(c, inode->vol, inode->rules);
}

int change_flush_file(struct change *c, f2fs_nid_t ino)
{
	int err = pages_flush_file(c->vol->txn, ino);

	c->generation = c->vol->generation;
	return err;
}

void change_stamp(struct change *c, struct winode *w)
{
	if (c->vol->generation != c->generation)
		return;
	winode_stamp(w, STAMP_MTIME);
	c->generation = c->vol->generation;
}

int change_end(const struct change *c, int err)
{
	if (err && c->vol->txn && c->vol->generation != c->generation)
		txn_fail(c->vol->txn);
	return err;
}

void f2fs_volume_set_time(struct f2fs_volume *vol, const struct f2fs_time *now)
{
	vol->clock.is_set = now != NULL;
	vol->clock.seconds = now ? now->seconds : 0;
	vol->clock.nanoseconds = now ? now->nanoseconds : 0;
}

int f2fs_volume_commit(struct f2fs_volume *vol)
{
	struct change change;
	int err = 0;

	error_clear(vol->ctx);
	/* files that were removed while open are freed by the first commit after they were closed */
	if (!vol->txn && vol->files.owns_orphans && vol->view->orphans.count > 0 && vol->files.look_for_orphans)
		err = change_begin(&change, vol);
	return err ? err : txn_commit(vol);
}

int f2fs_volume_transaction(const struct f2fs_volume *vol)
{
	if (txn_is_uncertain(vol))
		return F2FS_TRANSACTION_UNCERTAIN;
	if (!vol->txn)
		return F2FS_TRANSACTION_NONE;
	return vol->txn->failed ? F2FS_TRANSACTION_FAILED : F2FS_TRANSACTION_OPEN;
}

void f2fs_volume_fail(struct f2fs_volume *vol)
{
	if (vol->txn)
		txn_fail(vol->txn);
}

void f2fs_volume_rollback(struct f2fs_volume *vol)
{
	error_clear(vol->ctx);
	txn_roll_back(vol);
	vol->files.look_for_orphans = true; /* orphans that were freed since the last commit exist again */
}
