/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls of the whole volume: features, label, checkpoints, GC and fstrim(8).
 */

#include <f2fskit/engine.h>
#include <f2fskit/gc.h>
#include <f2fskit/label.h>
#include <linux/f2fs.h>
#include <linux/fs.h>
#include <string.h>

#include "fuse/caller_memory.h"
#include "fuse/guard.h"
#include "fuse/ioctl.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

static int get_features(struct ioctl_call *call)
{
	const uint32_t feature = f2fs_volume_geometry(call->m->vol)->feature;

	memcpy(call->out, &feature, sizeof(feature));
	return 0;
}

static int get_label(struct ioctl_call *call)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(call->m->vol, &st);
	memcpy(call->out, st.label, strnlen(st.label, FSLABEL_MAX - 1));
	return 0;
}

static int set_label(struct ioctl_call *call)
{
	char label[FSLABEL_MAX + 1] = { 0 };

	memcpy(label, call->in, FSLABEL_MAX);
	return f2fs_volume_set_label(call->m->vol, label);
}

static int write_checkpoint(struct ioctl_call *call)
{
	return mount_checkpoint(call->m);
}

/* Empty one section: with 1 the emptiest, as when there is no room, with 0 as when idle. */
static int collect(struct ioctl_call *call)
{
	struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .sections = 1 };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	uint32_t at_once;
	int err = mount_checkpoint(call->m);

	memcpy(&at_once, call->in, sizeof(at_once));
	options.policy = at_once ? F2FS_GC_GREEDY : F2FS_GC_COST_BENEFIT;
	if (!err)
		err = f2fs_gc(call->m->vol, &options, &result);
	if (!err && result.sections == 0)
		return MOUNT_NO_VICTIM;
	return err;
}

static int fetch_level(struct ioctl_call *call)
{
	call->more_size = sizeof(uint32_t);
	return caller_read(&call->caller, 0, call->more, sizeof(uint32_t));
}

/*
 * Stop all writing. The first two levels write a checkpoint before that. The others lose what was not fsynced since the
 * last one, as a crash would.
 */
static int shut_down(struct ioctl_call *call)
{
	struct mount *m = call->m;
	uint32_t level;
	int err = 0;

	memcpy(&level, call->more, sizeof(level));
	if (level == F2FS_GOING_DOWN_NEED_FSCK)
		return F2FS_ERR_UNSUPPORTED;
	if (level > F2FS_GOING_DOWN_NEED_FSCK)
		return F2FS_ERR_INVALID;
	if (level == F2FS_GOING_DOWN_FULLSYNC || level == F2FS_GOING_DOWN_METASYNC)
		err = mount_checkpoint(m);
	if (err)
		return err;
	m->is_broken = m->is_shut = 1;
	f2fs_volume_fail(m->vol);
	return 0;
}

/* The kernel's rules for a range. The library trims all free blocks: a range without some of them is not supported. */
static int check_range(const struct f2fs_geometry *geo, const struct fstrim_range *range)
{
	const uint64_t first = range->start >> geo->block_bits, length = range->len >> geo->block_bits;
	const uint64_t main_blocks = (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	const uint64_t end = geo->main_blkaddr + main_blocks;

	if (first >= end || length == 0)
		return F2FS_ERR_INVALID;
	return first > geo->main_blkaddr || length < end - first ? F2FS_ERR_UNSUPPORTED : 0;
}

static int trim(struct ioctl_call *call)
{
	struct fstrim_range range;
	int err;

	memcpy(&range, call->in, sizeof(range));
	err = check_range(f2fs_volume_geometry(call->m->vol), &range);
	if (!err)
		err = mount_checkpoint(call->m);
	if (!err)
		err = f2fs_volume_trim(call->m->vol, range.minlen, (uint64_t *)&range.len);
	memcpy(call->out, &range, sizeof(range));
	return err;
}

const struct ioctl_kind ioctls_of_volumes[] = {
	IOCTL(F2FS_IOC_GET_FEATURES, 0, 0, sizeof(uint32_t), get_features),
	IOCTL(FS_IOC_GETFSLABEL, 0, 0, FSLABEL_MAX, get_label),
	IOCTL(FS_IOC_SETFSLABEL, IOCTL_CHANGES | IOCTL_ADMIN, FSLABEL_MAX, 0, set_label),
	IOCTL(F2FS_IOC_WRITE_CHECKPOINT, IOCTL_CHANGES | IOCTL_ADMIN, 0, 0, write_checkpoint),
	IOCTL(F2FS_IOC_GARBAGE_COLLECT, IOCTL_CHANGES | IOCTL_ADMIN, sizeof(uint32_t), 0, collect),
	IOCTL(FITRIM, IOCTL_CHANGES | IOCTL_ADMIN, sizeof(struct fstrim_range), sizeof(struct fstrim_range),
	      trim),
	IOCTL_WITH_MEMORY(F2FS_IOC_SHUTDOWN, IOCTL_CHANGES | IOCTL_ADMIN, 0, 0, shut_down, fetch_level, NULL),
	{ 0 },
};
