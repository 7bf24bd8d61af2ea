/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quota accounting of a transaction: changes of usage are collected per id, for quota_write.c to store.
 */
#include <f2fskit/write.h>

#include "file/quota_changes.h"
#include "file/quota_count.h"
#include "file/run.h"
#include "file/winode.h"
#include "format/quota.h"

bool quota_is_kept(const struct f2fs_volume *vol)
{
	return geometry_has(&vol->geo, F2FS_FEAT_QUOTA) &&
	       !(vol->txn && vol->txn->is_derived) && /* a repair counts again in the end */
	       !(cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_quota_need_fsck);
}

bool quota_is_file(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	for (unsigned kind = 0; kind < QUOTA_KINDS; kind++)
		if (sb_qf_ino(vol->sb, kind) == ino)
			return true;
	return false;
}

static int need_changes(struct txn *txn, struct quota_changes **out)
{
	struct quota_changes *changes = txn->file->quota;

	if (!changes) {
		changes = mem_zalloc(txn->vol->ctx, sizeof(*changes));
		if (!changes)
			return F2FS_ERR_NOMEM;
		for (unsigned kind = 0; kind < QUOTA_KINDS; kind++) {
			map32_init(&changes->index[kind], txn->vol->ctx);
			vec_init(&changes->list[kind], txn->vol->ctx, sizeof(struct quota_change));
		}
		txn->file->quota = changes;
	}
	*out = changes;
	return 0;
}

void quota_drop(struct txn *txn)
{
	struct quota_changes *changes = txn->file->quota;

	if (!changes)
		return;
	for (unsigned kind = 0; kind < QUOTA_KINDS; kind++) {
		for (size_t i = 0; i < changes->list[kind].count; i++) {
			struct quota_change *change = vec_at(&changes->list[kind], i);

			quota_rises_fini(&change->space_rises);
			quota_rises_fini(&change->inode_rises);
		}
		map32_fini(&changes->index[kind]);
		vec_fini(&changes->list[kind]);
	}
	mem_free(txn->vol->ctx, changes);
	txn->file->quota = NULL;
}

/* Find or make the changes of an id; they move with the next call. */
static int need_change(struct txn *txn, unsigned kind, uint32_t id, struct quota_change **out)
{
	struct quota_changes *changes;
	struct quota_change *change;
	uint64_t *at;
	int err = need_changes(txn, &changes);

	if (err)
		return err;
	at = map32_find(&changes->index[kind], id);
	if (!at) {
		change = vec_push(&changes->list[kind], 1);
		if (!change)
			return F2FS_ERR_NOMEM;
		change->id = id;
		quota_rises_init(&change->space_rises, txn->vol->ctx);
		quota_rises_init(&change->inode_rises, txn->vol->ctx);
		err = map32_set(&changes->index[kind], id, changes->list[kind].count - 1);
		if (err)
			return err;
		at = map32_find(&changes->index[kind], id);
	}
	*out = vec_at(&changes->list[kind], (size_t)*at);
	return 0;
}

/* Times do not change by themselves: without a time, none of grace begins. */
static int note_rises(const struct txn *txn, struct quota_change *change)
{
	const int64_t now = txn->vol->clock.seconds;
	int err;

	if (!txn->vol->clock.is_set)
		return 0;
	err = quota_rises_note(&change->space_rises, change->space, now);
	return err ? err : quota_rises_note(&change->inode_rises, change->inodes, now);
}

int quota_adjust(struct txn *txn, unsigned kind, uint32_t id, int64_t space, int64_t inodes)
{
	struct quota_change *change;
	int err;

	if (id == UINT32_MAX)
		return 0;
	err = need_change(txn, kind, id, &change);
	if (err)
		return err;
	change->space += space;
	change->inodes += inodes;
	return note_rises(txn, change);
}

int quota_limit(struct txn *txn, unsigned kind, unsigned which, const struct f2fs_quota *quota, int64_t now)
{
	struct quota_change *change;
	int err = need_change(txn, kind, quota->id, &change);

	if (err)
		return err;
	if (which & F2FS_QUOTA_SPACE_SOFT)
		change->space_soft = quota->space_soft_kib;
	if (which & F2FS_QUOTA_SPACE_HARD)
		change->space_hard = quota->space_hard_kib;
	if (which & F2FS_QUOTA_INODES_SOFT)
		change->inodes_soft = quota->inodes_soft;
	if (which & F2FS_QUOTA_INODES_HARD)
		change->inodes_hard = quota->inodes_hard;
	change->limits |= which;
	change->now = now;
	return 0;
}

int quota_period(struct txn *txn, unsigned kind, const struct f2fs_quota_grace *grace)
{
	struct quota_changes *changes;
	int err = need_changes(txn, &changes);

	if (!err)
		changes->periods[kind] = (struct quota_period){ .is_set = true,
								.space = grace->space_seconds,
								.inodes = grace->inode_seconds };
	return err;
}

void quota_owners(const uint8_t *inode, uint32_t ids[QUOTA_KINDS])
{
	ids[QUOTA_USER] = inode_i_uid(inode);
	ids[QUOTA_GROUP] = inode_i_gid(inode);
	ids[QUOTA_PROJECT] = inode_has_extra(inode, extra_OFS_i_projid + 4) ? extra_i_projid(inode_extra(inode)) : 0;
}

int quota_charge(struct winode *w, int64_t blocks, int64_t inodes)
{
	const struct f2fs_volume *vol = w->txn->vol;
	const int64_t space = blocks * (int64_t)vol->geo.block_size;
	uint32_t ids[QUOTA_KINDS];
	int err = 0;

	if (!quota_is_kept(vol) || quota_is_file(vol, w->node->nid))
		return 0;
	quota_owners(winode_block(w), ids);
	for (unsigned kind = 0; kind < QUOTA_KINDS && !err; kind++)
		if (sb_qf_ino(vol->sb, kind))
			err = quota_adjust(w->txn, kind, ids[kind], space, inodes);
	return err;
}
