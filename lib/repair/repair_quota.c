/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Repair quota. Damaged files are rebuilt, with the limits that can still be read. Usage is set to the counted values
 * once nothing else changes any more.
 */
#include "check/quota_left.h"
#include "file/quota_count.h"
#include "file/quota_make.h"
#include "repair/repair.h"
#include "repair/repair_quota.h"

/* Which quota file an inode is; sb_COUNT_qf_ino: none. */
static unsigned kind_of(const struct repair *r, f2fs_nid_t ino)
{
	unsigned kind = 0;

	while (kind < sb_COUNT_qf_ino && sb_qf_ino(r->vol->sb, kind) != ino)
		kind++;
	return kind;
}

static int make_file(struct repair *r, unsigned kind)
{
	struct quota_rescue left;
	int err = quota_read_left(r->c, kind, &left);

	if (!err)
		err = quota_make(r->txn, kind, &left);
	quota_rescue_fini(&left);
	return err;
}

static int make_files(struct repair *r)
{
	bool made[sb_COUNT_qf_ino] = { false };
	int err = 0;

	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		const unsigned kind = f->problem == P_QUOTA_INODE || f->problem == P_QUOTA_TREE ? kind_of(r, f->ino)
												: sb_COUNT_qf_ino;

		if (f->is_left || kind == sb_COUNT_qf_ino || made[kind])
			continue;
		made[kind] = r->is_changed = true;
		err = make_file(r, kind);
	}
	return err;
}

int repair_quota(struct repair *r)
{
	bool is_right = true;
	int err = make_files(r);

	if (err || r->is_changed) /* blocks and owners still change: the next round counts again */
		return err;
	for (size_t i = 0; i < r->c->findings.count && !err; i++) {
		const struct finding *f = vec_at(&r->c->findings, i);
		const int64_t change = (int64_t)(f->expected - f->found);

		if (f->is_left)
			is_right = false;
		else if (f->problem == P_QUOTA_SPACE)
			err = quota_adjust(r->txn, kind_of(r, f->ino), f->slot, change, 0);
		else if (f->problem == P_QUOTA_INODES)
			err = quota_adjust(r->txn, kind_of(r, f->ino), f->slot, 0, change);
	}
	if (!err && is_right) /* the contents of the files are right again */
		cp_set_ckpt_flags(r->txn->cp, cp_ckpt_flags(r->txn->cp) & ~(uint32_t)FLAG_ckpt_flags_quota_need_fsck);
	return err;
}
