/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests about inodes: looking them up, forgetting them, their attributes, and the volume's numbers.
 */

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include "fuse/access_times.h"
#include "fuse/atomic_file.h"
#include "fuse/encryption.h"
#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_inodes.h"

/* Only this process changes a mounted volume, so the kernel may cache entries and attributes. */
#define TIMEOUT 86400.0

double entry_timeout(struct mount *m, const struct known *dir)
{
	/* removing "name" must also remove "NAME", and a key must rename all: the kernel cannot know */
	return dir->folds || encryption_hides_names(m, dir) ? 0 : TIMEOUT;
}

/* An old file is not to be taken for another name of one in use. If it was deleted it had a name, too. */
static void number_past(fuse_ino_t number, struct stat *st)
{
	if (number >> 32 == SPACE_VOLUME)
		return;
	st->st_ino = number;
	st->st_nlink += st->st_nlink == 0;
}

int entry_fill(struct mount *m, const struct known *dir, f2fs_nid_t ino, struct fuse_entry_param *out)
{
	struct known *k = known_take(m, dir->space, ino);
	struct f2fs_inode *inode;
	struct f2fs_stat raw;
	int err = k ? known_open(m, k, &inode) : F2FS_ERR_NOMEM;

	memset(out, 0, sizeof(*out));
	if (!err)
		err = mount_stat(m, inode, &raw, &out->attr);
	if (err) {
		if (k)
			known_forget(m, k, 0);
		return err;
	}
	k->lookups++;
	k->folds = raw.is_casefold;
	k->is_encrypted = raw.is_encrypted;
	out->ino = known_number(m, k->space, ino);
	number_past(out->ino, &out->attr);
	out->generation = raw.generation;
	out->attr_timeout = TIMEOUT;
	out->entry_timeout = entry_timeout(m, dir);
	return 0;
}

static void drop_entry(struct mount *m, fuse_ino_t number)
{
	struct known *k;

	pthread_mutex_lock(&m->lock);
	k = known_find(m, number);
	if (k)
		known_forget(m, k, 1);
	mount_leave(m);
}

void entry_reply(fuse_req_t req, struct mount *m, const struct fuse_entry_param *entry)
{
	if (fuse_reply_entry(req, entry) == -ENOENT && entry->ino) /* the request was interrupted */
		drop_entry(m, entry->ino);
}

/*
 * The kernel looks up "." and ".." to find the inode of a file handle (open_by_handle_at(2), NFS) and its parent. The
 * number may be one that it has forgotten. Handles name the generation, too, which it compares.
 */
static int remember(struct mount *m, fuse_ino_t number)
{
	const f2fs_nid_t ino = number == FUSE_ROOT_ID ? m->root : (f2fs_nid_t)number;
	struct f2fs_inode *inode;
	struct known *k;
	int err;

	if (known_find(m, number))
		return 0;
	k = number >> 32 == SPACE_VOLUME ? known_take(m, SPACE_VOLUME, ino) : NULL;
	err = k ? known_open(m, k, &inode) : F2FS_ERR_NOT_FOUND;
	if (err && k)
		known_forget(m, k, 0);
	return err;
}

static void lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	const int is_dot = !strcmp(name, "."), is_handle = is_dot || !strcmp(name, "..");
	struct mount *m = mount_enter(req);
	struct fuse_entry_param entry = { 0 };
	struct f2fs_dirent found = { 0 };
	struct f2fs_inode *inode;
	struct known *dir = NULL;
	int err = is_handle ? remember(m, parent) : 0, code;

	if (!err)
		err = known_open_number(m, parent, &dir, &inode);
	if (!err && is_dot)
		found.ino = f2fs_inode_number(inode);
	else if (!err)
		err = f2fs_dir_lookup(inode, name, strlen(name), &found);
	if (!err)
		err = entry_fill(m, dir, found.ino, &entry);
	else if (err == F2FS_ERR_NOT_FOUND && dir && !is_handle)
		entry.entry_timeout = entry_timeout(m, dir), err = 0; /* that there is none may be kept, too */
	if (is_handle && dir)
		known_forget(m, dir, 0);
	code = mount_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		entry_reply(req, m, &entry);
}

static void forget_some(struct mount *m, const struct fuse_forget_data *forgets, size_t count)
{
	pthread_mutex_lock(&m->lock);
	for (size_t i = 0; i < count; i++) {
		struct known *k = known_find(m, forgets[i].ino);

		if (k && !k->has_name && !m->changed_ns) /* the next checkpoint frees its blocks */
			m->changed_ns = mount_clock();
		m->has_forgotten |= k && !k->has_name;
		if (k)
			known_forget(m, k, forgets[i].nlookup);
	}
	mount_leave(m);
}

static void forget(fuse_req_t req, fuse_ino_t number, uint64_t lookups)
{
	const struct fuse_forget_data one = { number, lookups };

	forget_some(fuse_req_userdata(req), &one, 1);
	fuse_reply_none(req);
}

static void forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
	forget_some(fuse_req_userdata(req), forgets, count);
	fuse_reply_none(req);
}

/* End a request for the attributes of an inode, after err. Returns 0 with both forms of them, or an errno. */
static int leave_with_attr(struct mount *m, struct f2fs_inode *inode, fuse_ino_t number, int err, struct f2fs_stat *raw,
			   struct stat *st)
{
	int code;

	if (!err)
		err = mount_stat(m, inode, raw, st);
	if (!err)
		number_past(number, st);
	code = mount_errno(m, err);
	mount_leave(m);
	return code;
}

static void answer_attr(fuse_req_t req, struct mount *m, struct f2fs_inode *inode, fuse_ino_t number, int err)
{
	struct f2fs_stat raw;
	struct stat st;
	const int code = leave_with_attr(m, inode, number, err, &raw, &st);

	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_attr(req, &st, TIMEOUT);
}

static void getattr(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode = NULL;

	(void)fi;
	answer_attr(req, m, inode, number, known_open_number(m, number, NULL, &inode) ? F2FS_ERR_NOT_FOUND : 0);
}

#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18)

static struct statx_timestamp stamp_of(const struct timespec *time)
{
	return (struct statx_timestamp){ .tv_sec = (int64_t)time->tv_sec, .tv_nsec = (uint32_t)time->tv_nsec };
}

void stat_reply_statx(fuse_req_t req, const struct stat *st, const struct f2fs_time *birth, double timeout)
{
	struct statx out = { .stx_mask = STATX_BASIC_STATS };

	out.stx_ino = st->st_ino;
	out.stx_mode = (uint16_t)st->st_mode;
	out.stx_nlink = (uint32_t)st->st_nlink;
	out.stx_uid = (uint32_t)st->st_uid;
	out.stx_gid = (uint32_t)st->st_gid;
	out.stx_rdev_major = major(st->st_rdev);
	out.stx_rdev_minor = minor(st->st_rdev);
	out.stx_size = (uint64_t)st->st_size;
	out.stx_blocks = (uint64_t)st->st_blocks;
	out.stx_blksize = (uint32_t)st->st_blksize;
	out.stx_atime = stamp_of(&st->st_atim);
	out.stx_mtime = stamp_of(&st->st_mtim);
	out.stx_ctime = stamp_of(&st->st_ctim);
	if (birth) {
		out.stx_mask |= STATX_BTIME;
		out.stx_btime.tv_sec = birth->seconds;
		out.stx_btime.tv_nsec = birth->nanoseconds;
	}
	fuse_reply_statx(req, 0, &out, timeout);
}

static void statx_(fuse_req_t req, fuse_ino_t number, int flags, int mask, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode = NULL;
	struct f2fs_stat raw;
	struct stat st;
	const int err = known_open_number(m, number, NULL, &inode);
	const int code = leave_with_attr(m, inode, number, err, &raw, &st);

	(void)flags;
	(void)mask;
	(void)fi;
	if (code)
		fuse_reply_err(req, code);
	else
		stat_reply_statx(req, &st, raw.has_crtime ? &raw.crtime : NULL, TIMEOUT);
}

#endif

static struct f2fs_time time_of(const struct mount *m, const struct timespec *time, int is_now)
{
	if (is_now)
		return m->now;
	return (struct f2fs_time){ .seconds = (int64_t)time->tv_sec, .nanoseconds = (uint32_t)time->tv_nsec };
}

/* Fill the values that the kernel asks to be set, but for the size; returns which. */
static unsigned values_of(const struct mount *m, const struct stat *attr, int to_set, struct f2fs_stat *values)
{
	unsigned which = 0;

	memset(values, 0, sizeof(*values));
	values->mode = (uint32_t)attr->st_mode;
	values->uid = (uint32_t)attr->st_uid;
	values->gid = (uint32_t)attr->st_gid;
	values->atime = time_of(m, &attr->st_atim, to_set & FUSE_SET_ATTR_ATIME_NOW);
	values->mtime = time_of(m, &attr->st_mtim, to_set & FUSE_SET_ATTR_MTIME_NOW);
	values->ctime = time_of(m, &attr->st_ctim, 0);
	if (to_set & FUSE_SET_ATTR_MODE && !m->options.has_umask)
		which |= F2FS_SET_MODE;
	if (to_set & FUSE_SET_ATTR_UID && !m->options.has_uid)
		which |= F2FS_SET_UID;
	if (to_set & FUSE_SET_ATTR_GID && !m->options.has_gid)
		which |= F2FS_SET_GID;
	if (to_set & (FUSE_SET_ATTR_ATIME | FUSE_SET_ATTR_ATIME_NOW))
		which |= F2FS_SET_ATIME;
	if (to_set & (FUSE_SET_ATTR_MTIME | FUSE_SET_ATTR_MTIME_NOW))
		which |= F2FS_SET_MTIME;
	if (to_set & FUSE_SET_ATTR_CTIME)
		which |= F2FS_SET_CTIME;
	return which;
}

/* Is nothing set but the present time? That is permitted for files that only grow. */
static int only_touches(int to_set)
{
	const int atime = to_set & FUSE_SET_ATTR_ATIME && !(to_set & FUSE_SET_ATTR_ATIME_NOW);
	const int mtime = to_set & FUSE_SET_ATTR_MTIME && !(to_set & FUSE_SET_ATTR_MTIME_NOW);
	const int more = FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID | FUSE_SET_ATTR_SIZE;

	return !(to_set & more) && !atime && !mtime;
}

static void setattr(fuse_req_t req, fuse_ino_t number, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode = NULL;
	struct f2fs_stat values;
	const unsigned which = values_of(m, attr, to_set, &values);
	struct known *k = NULL;
	int err = known_open_number(m, number, &k, &inode);

	(void)fi;
	if (!err)
		err = guard_inode(inode, only_touches(to_set));
	if (!err && to_set & FUSE_SET_ATTR_SIZE && atomic_is_on(m, k))
		err = F2FS_ERR_UNSUPPORTED;
	if (!err && to_set & FUSE_SET_ATTR_SIZE)
		err = f2fs_inode_truncate(inode, (uint64_t)attr->st_size);
	if (k)
		known_change(m, k);
	if (!err && which)
		err = f2fs_inode_set(inode, which, &values);
	answer_attr(req, m, inode, number, err);
}

static void readlink_(fuse_req_t req, fuse_ino_t number)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode;
	char target[16384 + 1]; /* the largest block */
	size_t length;
	int err = known_open_number(m, number, NULL, &inode), code;

	if (!err)
		err = f2fs_inode_readlink(inode, target, sizeof(target), &length);
	if (!err)
		access_note(m, inode);
	code = mount_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_readlink(req, target);
}

static void statfs_(fuse_req_t req, fuse_ino_t number)
{
	struct mount *m = mount_enter(req);
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	struct statvfs out = { .f_namemax = 255 };

	(void)number;
	f2fs_volume_statfs(m->vol, &st);
	mount_leave(m);
	out.f_bsize = out.f_frsize = m->block_size;
	out.f_blocks = (fsblkcnt_t)st.block_count;
	out.f_bfree = out.f_bavail = (fsblkcnt_t)st.free_blocks;
	out.f_files = (fsfilcnt_t)st.max_files;
	out.f_ffree = out.f_favail = (fsfilcnt_t)st.free_files;
	fuse_reply_statfs(req, &out);
}

void serve_inodes(struct fuse_lowlevel_ops *ops)
{
	ops->lookup = lookup;
	ops->forget = forget;
	ops->forget_multi = forget_multi;
	ops->getattr = getattr;
	ops->setattr = setattr;
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18)
	ops->statx = statx_;
#endif
	ops->readlink = readlink_;
	ops->statfs = statfs_;
}
