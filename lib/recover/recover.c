/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recovery as one transaction: orphans, then the plan, then one commit (FORMAT files 12). A failure anywhere before the
 * commit drops everything, and the volume can be recovered again.
 */
#include "base/error.h"
#include "base/sized.h"
#include "file/change.h"
#include "log/adopt.h"
#include "log/commit.h"
#include "log/derive.h"
#include "log/txn.h"
#include "recover/chain_read.h"
#include "recover/orphans.h"
#include "recover/recover.h"
#include "recover/recovery_plan.h"
#include "recover/replay.h"
#include "recover/rollforward.h"
#include "volume/block_read.h"
#include "volume/newest_pack.h"
#include "volume/roots.h"

#include <string.h>

enum { WITH_CHAIN = 1, AS_VIEW = 2 };

static int refuse_loop(const struct f2fs_recovery *plan)
{
	return volume_corrupt(plan->vol, RULE_CHAIN_LOOP, plan->end_block, 0, "fsynced data can only be dropped");
}

static int keep_chain(void *user, struct txn *txn)
{
	struct replay *r = user;

	r->txn = txn;
	return replay_keep(r);
}

static int begin(struct replay *r, bool with_chain, struct recovery_base *base)
{
	const struct txn_keep keep = { .user = r, .keep = keep_chain };
	int err = base ? base->begin(base->user, with_chain ? &keep : NULL) : txn_begin_recovery(r->vol, &file_ops);

	if (err)
		return err;
	r->txn = r->vol->txn;
	if (base)
		return 0;
	return with_chain ? replay_keep(r) : heads_pass_kept(r->txn);
}

static int apply(struct replay *r, bool with_chain)
{
	int err = orphans_finish(r);

	return err || !with_chain ? err : replay_plan(r);
}

static int recover_with(struct replay *r, bool with_chain, struct recovery_base *base)
{
	const bool was_running = r->vol->txn != NULL;
	int err;

	if (with_chain && !base && r->plan->end == F2FS_CHAIN_LOOP)
		return refuse_loop(r->plan);
	err = chain_reader_init(&r->reader, r->vol);
	if (!err)
		err = begin(r, with_chain, base);
	if (!err)
		err = apply(r, with_chain);
	chain_reader_fini(&r->reader);
	if (!err)
		err = txn_commit(r->vol);
	r->result.changed = !err;
	if (base)
		base->failed = err ? r->at : 0;
	if (err && !was_running)
		txn_roll_back(r->vol);
	return err;
}

/* The list of orphans is damaged. Deleting a file that has a name would be a loss, and the next mount deletes it. */
static int refuse_linked(const struct f2fs_recovery *plan)
{
	uint32_t ino = 0;
	uint64_t value;
	size_t at = 0;

	map32_each(&plan->linked, &at, &ino, &value);
	return volume_corrupt(plan->vol, RULE_ORPHAN_LINKED, F2FS_NO_BLOCK, ino,
			      "the list of unlinked inodes names a file that is in use (fsck.f2fs -y repairs the "
			      "list)");
}

/* Blank is not free: what was fsynced may not be dropped for a lost block of the NAT. */
static int refuse_hidden(const struct f2fs_recovery *plan)
{
	return volume_corrupt(plan->vol, RULE_NAT_FREE, F2FS_NO_BLOCK, plan->hidden,
			      "a directory names an inode that the NAT lacks, so its fsynced data may not be dropped "
			      "(fsck.f2fs -y searches for it)");
}

static void warn_linked(const struct f2fs_recovery *plan)
{
	uint32_t ino;
	uint64_t value;
	size_t at = 0;

	while (map32_each(&plan->linked, &at, &ino, &value))
		log_message(plan->vol->ctx, F2FS_LOG_WARNING,
			    "inode %u is listed as unlinked, but a directory names it: a mount would delete it, and "
			    "fsck.f2fs -y repairs the list",
			    (unsigned)ino);
}

static int recover(struct f2fs_volume *vol, unsigned form, struct recovery_base *base,
		   struct f2fs_recover_result *result)
{
	struct replay r = {
		.vol = vol, .reader = { .vol = vol }, .left = base ? base->left : NULL, .is_checked = base != NULL
	};
	int err;

	error_clear(vol->ctx);
	vec_init(&r.dead, vol->ctx, sizeof(f2fs_nid_t));
	err = volume_check_roots(vol); /* unrecovered data may belong to a checkpoint that cannot be read */
	if (!err && !base)
		err = volume_check_newest(vol);
	if (!err)
		err = recovery_plan(vol, base ? base->kept : NULL, &r.plan);
	if (err)
		return err;
	if (form & AS_VIEW)
		warn_linked(r.plan);
	else if (!base && r.plan->linked.count > 0)
		err = refuse_linked(r.plan);
	if (!err && !base && form == WITH_CHAIN && r.plan->hidden)
		err = refuse_hidden(r.plan);
	if (!err && recovery_is_needed(r.plan))
		err = recover_with(&r, (form & WITH_CHAIN) != 0, base);
	f2fs_recovery_close(r.plan);
	vec_fini(&r.dead);
	if (!err && result)
		*result = r.result;
	return err;
}

int f2fs_recover(struct f2fs_volume *vol, const struct f2fs_recover_options *options,
		 struct f2fs_recover_result *result)
{
	struct f2fs_recover_options own;
	struct f2fs_recover_result filled = { 0 };
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (!err)
		err = sized_check(vol->ctx, result, sizeof(filled));
	if (!err)
		err = recover(vol, own.flags & F2FS_RECOVER_DROP_CHAIN ? 0 : WITH_CHAIN, NULL, &filled);
	if (!err)
		sized_give(result, &filled, sizeof(filled));
	return err;
}

int recovery_apply_on(struct f2fs_volume *vol, struct recovery_base *base, struct f2fs_recover_result *result)
{
	return recover(vol, WITH_CHAIN, base, result);
}

int recovery_apply_view(struct f2fs_volume *vol)
{
	return recover(vol, WITH_CHAIN | AS_VIEW, NULL, NULL);
}
