/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limits of users, groups and projects. They are stored with the commit, as usage is. Limits that cannot be stored are
 * refused before.
 */
#include <f2fskit/write.h>

#include "base/error.h"
#include "base/sized.h"
#include "file/change.h"
#include "file/inode_read.h"
#include "file/quota_count.h"
#include "file/quota_write.h"
#include "file/write.h"
#include "format/quota.h"
#include "log/space.h"

#define ENTRY_BLOCKS 8u /* a new entry takes at most a leaf and the tree above it, and nodes of the file */

/* Can the quota file of a kind be changed? */
static int need_file(struct f2fs_volume *vol, unsigned kind)
{
	if (!geometry_has(&vol->geo, F2FS_FEAT_QUOTA) || sb_qf_ino(vol->sb, kind) == 0)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "the volume has no %s quota file",
				 quota_type_name((enum quota_type)kind));
	if (!quota_is_kept(vol))
		return error_set(vol->ctx, F2FS_ERR_STATE, "the quota files are stale: let fsck.f2fs count them again");
	return 0;
}

static int check_values(struct f2fs_volume *vol, unsigned kind, unsigned limits, const struct f2fs_quota *quota)
{
	const struct {
		unsigned bit;
		uint64_t value, most;
		const char *unit;
	} values[] = {
		{ F2FS_QUOTA_SPACE_SOFT, quota->space_soft_kib, F2FS_QUOTA_KIB_MAX, "KiB" },
		{ F2FS_QUOTA_SPACE_HARD, quota->space_hard_kib, F2FS_QUOTA_KIB_MAX, "KiB" },
		{ F2FS_QUOTA_INODES_SOFT, quota->inodes_soft, F2FS_QUOTA_INODES_MAX, "inodes" },
		{ F2FS_QUOTA_INODES_HARD, quota->inodes_hard, F2FS_QUOTA_INODES_MAX, "inodes" },
	};
	unsigned known = 0;

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		known |= values[i].bit;
		if ((limits & values[i].bit) && values[i].value > values[i].most)
			return error_set(vol->ctx, F2FS_ERR_RANGE, "a limit of %llu %s is more than can be stored",
					 (unsigned long long)values[i].value, values[i].unit);
	}
	if (limits & ~known)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there are no limits 0x%x", limits);
	if (quota->id == UINT32_MAX)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "there is no %s %u",
				 quota_type_name((enum quota_type)kind), (unsigned)quota->id);
	return need_file(vol, kind);
}

/* Is the file sound, and is there room to write it? */
static int need_writable(struct f2fs_volume *vol, unsigned kind)
{
	struct f2fs_inode *inode;
	int err = inode_open(vol, sb_qf_ino(vol->sb, kind), &inode);

	if (err)
		return err;
	err = quota_check_changed(inode, kind);
	f2fs_inode_close(inode);
	return err ? err : space_need(vol->txn, ENTRY_BLOCKS);
}

static int set_limits(struct f2fs_volume *vol, unsigned kind, unsigned limits, const struct f2fs_quota *quota)
{
	const int64_t now = vol->clock.is_set ? vol->clock.seconds : clock_now(vol->ctx) / 1000000000;
	int err = need_writable(vol, kind);

	return err ? err : quota_limit(vol->txn, kind, limits, quota, now);
}

static int check_kind(struct f2fs_volume *vol, unsigned kind)
{
	error_clear(vol->ctx);
	return kind <= QUOTA_PROJECT ? 0 :
		error_set(vol->ctx, F2FS_ERR_INVALID, "there is no quota of kind %u", kind);
}

int f2fs_quota_set(struct f2fs_volume *vol, unsigned kind, unsigned limits, const struct f2fs_quota *quota)
{
	struct change change;
	int err = check_kind(vol, kind);

	if (err)
		return err;
	err = change_begin(&change, vol);
	if (!err)
		err = check_values(vol, kind, limits, quota);
	if (!err && limits)
		err = set_limits(vol, kind, limits, quota);
	return change_end(&change, err);
}

int f2fs_quota_grace_set(struct f2fs_volume *vol, unsigned kind, const struct f2fs_quota_grace *grace)
{
	struct f2fs_quota_grace own;
	struct change change;
	int err = check_kind(vol, kind);

	if (!err)
		err = sized_take(vol->ctx, &own, sizeof(own), grace);
	if (err)
		return err;
	err = change_begin(&change, vol);
	if (!err)
		err = need_file(vol, kind);
	if (!err)
		err = need_writable(vol, kind);
	if (!err)
		err = quota_period(vol->txn, kind, &own);
	return change_end(&change, err);
}
