/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of every request: the lock, the time, errors, checkpoints, and stat(2) data.
 */

#include <errno.h>
#include <f2fskit/engine.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <syslog.h>
#include <time.h>

#include "fuse/atomic_list.h"
#include "fuse/guard.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

#ifndef CLOCK_REALTIME_COARSE
#define CLOCK_REALTIME_COARSE CLOCK_REALTIME
#endif

int64_t mount_clock(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct mount *mount_enter_quietly(fuse_req_t req)
{
	struct mount *m = fuse_req_userdata(req);

	pthread_mutex_lock(&m->lock);
	m->is_change = 0;
	return m;
}

struct mount *mount_enter(fuse_req_t req)
{
	struct mount *m = mount_enter_quietly(req);

	m->requested_ns = mount_clock();
	return m;
}

void mount_time(const struct mount *m, struct f2fs_time *now)
{
	struct timespec host;

	*now = (struct f2fs_time){ .seconds = m->cli->epoch };
	if (!m->cli->has_epoch && clock_gettime(CLOCK_REALTIME_COARSE, &host) == 0) {
		now->seconds = (int64_t)host.tv_sec;
		now->nanoseconds = (uint32_t)host.tv_nsec;
	}
}

struct mount *mount_enter_to_change(fuse_req_t req)
{
	struct mount *m = mount_enter(req);

	mount_time(m, &m->now);
	f2fs_volume_set_time(m->vol, &m->now);
	m->is_change = 1;
	if (!m->changed_ns)
		m->changed_ns = m->requested_ns;
	m->gc_is_done = 0;
	return m;
}

void mount_count_checkpoints(struct mount *m)
{
	struct f2fs_counters counters = { F2FS_SIZED(f2fs_counters) };

	f2fs_volume_counters(m->vol, &counters);
	m->checkpoints = counters.commits + 1;
}

void mount_leave(struct mount *m)
{
	mount_count_checkpoints(m);
	pthread_mutex_unlock(&m->lock);
}

void mount_say(struct mount *m, const char *format, ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (m->is_daemon)
		syslog(LOG_ERR, "%s", text);
	else
		cli_error(m->cli, "%s", text);
}

/* Does this error stop all writing? It does when changes since the last checkpoint can only be rolled back. */
static int stops_writing(struct mount *m)
{
	const int state = f2fs_volume_transaction(m->vol);

	if (m->is_broken || (state != F2FS_TRANSACTION_FAILED && state != F2FS_TRANSACTION_UNCERTAIN))
		return 0;
	m->is_broken = 1;
	mount_say(m, "%s: %s; writing has stopped: changes since the last checkpoint that were not fsynced are lost",
		  m->image, f2fs_context_error(m->ctx)->message);
	return 1;
}

/* Report a device that fails, or damage, as the kernel does. In views of the past, overwritten blocks are no damage. */
static void report_failure(struct mount *m, int err)
{
	enum { REPORTS = 20 };

	if ((err != F2FS_ERR_IO && err != F2FS_ERR_CORRUPT) || m->history || m->failures > REPORTS)
		return;
	if (m->failures++ < REPORTS)
		mount_say(m, "%s: %s", m->image, f2fs_context_error(m->ctx)->message);
	else
		mount_say(m, "%s: further failures are not reported", m->image);
}

int mount_errno(struct mount *m, int err)
{
	if (!err)
		return 0;
	switch (err) {
	case MOUNT_NOT_PERMITTED:
		return EPERM;
	case MOUNT_OVERFLOW:
		return EOVERFLOW;
	case MOUNT_NO_VICTIM:
		return EAGAIN;
	case MOUNT_QUOTA:
		return EDQUOT;
	case MOUNT_TOO_MANY:
		return ENFILE;
	}
	if (stops_writing(m) || (m->is_broken && (err == F2FS_ERR_STATE || err == F2FS_ERR_UNCERTAIN)))
		return EIO;
	report_failure(m, err);
	return f2fs_error_errno(err) ? f2fs_error_errno(err) : EIO;
}

int mount_checkpoint(struct mount *m)
{
	int err = f2fs_volume_commit(m->vol);

	if (!err)
		m->changed_ns = m->has_forgotten = 0;
	return err;
}

int mount_commit(struct mount *m)
{
	return mount_errno(m, mount_checkpoint(m));
}

static struct timespec timespec_of(const struct f2fs_time *time)
{
	return (struct timespec){ .tv_sec = (time_t)time->seconds, .tv_nsec = (long)time->nanoseconds };
}

/* Return the size that a file of atomic writes is to have, or another file's own. */
static uint64_t atomic_size(const struct mount *m, const struct f2fs_stat *st)
{
	for (const struct atomic_file *a = m->atomic_files; a; a = a->next)
		if (a->known->ino == st->ino && a->known->space == SPACE_VOLUME)
			return a->size;
	return st->size;
}

int mount_stat(struct mount *m, struct f2fs_inode *inode, struct f2fs_stat *raw, struct stat *out)
{
	const struct mount_options *o = &m->options;
	int err = f2fs_inode_stat(inode, raw);

	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->st_ino = raw->ino;
	out->st_mode = (mode_t)(o->has_umask ? (raw->mode & S_IFMT) | (0777 & ~o->umask) : raw->mode);
	out->st_nlink = (nlink_t)raw->nlink;
	out->st_uid = (uid_t)(o->has_uid ? o->uid : raw->uid);
	out->st_gid = (gid_t)(o->has_gid ? o->gid : raw->gid);
	out->st_rdev = makedev(raw->rdev_major, raw->rdev_minor);
	out->st_size = (off_t)atomic_size(m, raw);
	out->st_blksize = (blksize_t)m->block_size;
	out->st_blocks = (blkcnt_t)raw->blocks;
	out->st_atim = timespec_of(&raw->atime);
	out->st_mtim = timespec_of(&raw->mtime);
	out->st_ctim = timespec_of(&raw->ctime);
	return 0;
}
