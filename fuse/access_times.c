/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Set access times, by the kernel's rules of relatime and strictatime. The change waits for the next checkpoint.
 */

#include <linux/fs.h>
#include <sys/stat.h>
#include <time.h>

#include "fuse/access_times.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

enum { DAY = 86400 };

static int is_before(const struct f2fs_time *a, const struct f2fs_time *b)
{
	return a->seconds != b->seconds ? a->seconds < b->seconds : a->nanoseconds < b->nanoseconds;
}

static int is_due(const struct mount *m, const struct f2fs_stat *st, const struct f2fs_time *now)
{
	if (st->flags & FS_NOATIME_FL || (S_ISDIR(st->mode) && m->options.leaves_dir_times))
		return 0;
	if (m->options.atime == MOUNT_ATIME_STRICT)
		return is_before(&st->atime, now);
	/* relatime: not later than a change, or a day old */
	return !is_before(&st->mtime, &st->atime) || !is_before(&st->ctime, &st->atime) ||
	       now->seconds - st->atime.seconds >= DAY;
}

void access_note(struct mount *m, struct f2fs_inode *inode)
{
	struct f2fs_time now;
	struct f2fs_stat st;

	if (m->options.atime == MOUNT_ATIME_NONE || m->options.is_read_only || m->is_broken)
		return;
	mount_time(m, &now);
	if (f2fs_inode_stat(inode, &st) != 0 || !is_due(m, &st, &now))
		return;
	st.atime = now;
	f2fs_volume_set_time(m->vol, NULL); /* the other times stay */
	mount_errno(m, f2fs_inode_set(inode, F2FS_SET_ATIME, &st));
	if (!m->changed_ns && !m->options.is_lazy)
		m->changed_ns = m->requested_ns;
}
