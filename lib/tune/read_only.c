/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn the feature ro on and off.
 *
 * Linux mounts a volume with the feature read-only, and needs nothing else of it: the volume keeps its logs, summaries
 * and reserve. Only the overprovision of the checkpoint says which of the two the volume is, for a check that finds one
 * superblock damaged. It is 0 with the feature, and Linux refuses 0 without it. So the superblock gets the feature
 * before the commit, and loses it after the commit: Linux mounts every state between. The size that files may have
 * stays, and gives the overprovision back.
 */
#include "tune/read_only.h"

#include <f2fskit/file.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "format/checkpoint.h"
#include "format/inode.h"
#include "format/superblock.h"
#include "log/commit.h"
#include "log/txn.h"
#include "volume/heads_read.h"

bool read_only_is_half(const struct f2fs_volume *vol)
{
	return volume_is_locked(vol) && cp_overprov_segment_count(vol->view->cp) != 0;
}

/* Has turning it off stopped between the two superblocks? Writing them again ends it, and needs no commit. */
static bool is_released(const struct f2fs_volume *vol)
{
	return vol->is_doubted && cp_overprov_segment_count(vol->view->cp) != 0;
}

int read_only_judge_on(struct f2fs_volume *vol)
{
	const uint32_t flags = cp_ckpt_flags(vol->view->cp);

	if (vol->geo.feature & (F2FS_FEAT_BLKZONED | F2FS_FEAT_DEVICE_ALIAS))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "ro stays off: it cannot be with blkzoned or device_alias");
	if (flags & (FLAG_ckpt_flags_error | FLAG_ckpt_flags_fsck))
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "ro stays off: the checkpoint asks for a check, and read-only volumes are not "
				 "repaired");
	if (flags & FLAG_ckpt_flags_resizefs)
		return error_set(vol->ctx, F2FS_ERR_STATE, "ro stays off: a resize was stopped: end it first");
	if (flags & FLAG_ckpt_flags_disabled)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "ro stays off: checkpointing is disabled, and Linux must write to enable it");
	if (vol->view->orphans.count > 0)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "ro stays off: %u orphan inodes wait for their removal, which Linux must write",
				 (unsigned)vol->view->orphans.count);
	return 0;
}

/* The segments that files do not have. They are the overprovision of a volume without the feature. */
static uint32_t kept_segments(const struct f2fs_volume *vol)
{
	return (uint32_t)sub_or_zero(vol->geo.segment_count_main,
				     cp_user_block_count(vol->view->cp) / F2FS_SEGMENT_BLOCKS);
}

int read_only_judge_off(struct f2fs_volume *vol)
{
	uint8_t sb[sb_SIZE];

	if (volume_lacks_ssa(vol))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "ro stays on: mkfs made this volume with two logs and without summaries (SSA), which "
				 "a writable volume needs: copy its files to a new one");
	memcpy(sb, vol->sb, sizeof(sb));
	sb_set_feature(sb, sb_feature(sb) & ~(uint32_t)F2FS_FEAT_RO);
	if (superblock_check(sb) == RULE_SB_AREA_SIZES)
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "ro stays on: the summary area (SSA) of this volume is too small for a writable one");
	if (cp_rsvd_segment_count(vol->view->cp) == 0 || kept_segments(vol) < cp_rsvd_segment_count(vol->view->cp))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "ro stays on: the checkpoint keeps no segments for GC, which a writable volume needs");
	return 0;
}

int read_only_try(struct f2fs_volume *vol)
{
	int err;

	if (is_released(vol))
		return 0;
	err = txn_begin_locked(vol, NULL);
	if (!err)
		txn_roll_back(vol);
	return err;
}

/*
 * Does a compressed file have a hole before file block end, its size? Linux caches each cluster as if it had none
 * (FORMAT files 8.1).
 */
static int find_hole(struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t end, bool *has_hole)
{
	struct f2fs_file_extent extent = { .kind = F2FS_EXTENT_DATA };
	struct f2fs_inode *inode;
	uint64_t at = 0;
	int err = f2fs_inode_open(vol, ino, &inode);

	if (err)
		return err;
	*has_hole = false;
	while (!err && at < end && !*has_hole) {
		err = f2fs_inode_extent(inode, at, &extent);
		*has_hole = !err && (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED);
		at = extent.file_block + extent.count;
	}
	f2fs_inode_close(inode);
	return err;
}

int read_only_judge_inode(struct f2fs_volume *vol, f2fs_nid_t ino, const uint8_t *block, const char **why)
{
	bool has_hole = false;
	int err = 0;

	*why = NULL;
	if (inode_i_advise(block) & FLAG_i_advise_trunc) {
		*why = "has the mark of an unfinished write, which Linux must end: mount the volume and open the file";
		return 0;
	}
	if (geometry_has(&vol->geo, F2FS_FEAT_COMPRESSION) && (inode_i_mode(block) & MODE_TYPE) == MODE_REG &&
	    (inode_i_flags(block) & FLAG_i_flags_compr))
		err = find_hole(vol, ino, div_ceil64(inode_i_size(block), vol->geo.block_size), &has_hole);
	if (has_hole)
		*why = "is compressed and has holes, which Linux misreads with ro: uncompress the file, or write zeros";
	return err;
}

int read_only_prepare(struct f2fs_volume *vol)
{
	int err;

	if (cp_ckpt_flags(vol->view->cp) & FLAG_ckpt_flags_unmount)
		return 0;
	err = txn_begin_locked(vol, NULL);
	if (!err)
		err = txn_commit(vol);
	if (err)
		txn_roll_back(vol);
	return err;
}

/* Commit nothing but the overprovision. */
static int commit_overprovision(struct f2fs_volume *vol, uint32_t segments)
{
	const uint8_t *cp = vol->view->cp;
	const struct commit_form form = { .has_room = true,
					  .user_blocks = cp_user_block_count(cp),
					  .reserved_segments = cp_rsvd_segment_count(cp),
					  .overprovision_segments = segments };
	int err = txn_begin_locked(vol, NULL);

	if (!err)
		err = txn_commit_as(vol, &form);
	if (err)
		txn_roll_back(vol);
	return err;
}

int read_only_settle(struct f2fs_volume *vol)
{
	return cp_overprov_segment_count(vol->view->cp) ? commit_overprovision(vol, 0) : 0;
}

int read_only_release(struct f2fs_volume *vol)
{
	return cp_overprov_segment_count(vol->view->cp) ? 0 : commit_overprovision(vol, kept_segments(vol));
}
