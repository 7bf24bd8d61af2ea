/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that make, remove and rename names. The kernel has checked permissions, types and the sticky bit before it
 * asks.
 */

#include <errno.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quota_guard.h"
#include "fuse/serve.h"
#include "fuse/serve_inodes.h"

/* The kernel's flags of renameat2(2) are those of the library. */
_Static_assert(F2FS_RENAME_NO_REPLACE == 1 && F2FS_RENAME_EXCHANGE == 2 && F2FS_RENAME_WHITEOUT == 4, "renameat2");

struct making {
	mode_t mode;
	dev_t rdev;
	const char *target; /* of a symbolic link */
	int is_unnamed;	    /* without a name, for O_TMPFILE */
};

/* The caller owns a new inode. A directory with setgid gives its group, and to directories the bit itself. */
static int spec_of(fuse_req_t req, const struct making *making, struct f2fs_inode *dir, struct f2fs_new *spec)
{
	const struct fuse_ctx *who = fuse_req_ctx(req);
	struct mount *m = fuse_req_userdata(req);
	struct f2fs_stat parent;
	int err = f2fs_inode_stat(dir, &parent);

	if (err)
		return err;
	memset(spec, 0, sizeof(*spec));
	spec->struct_size = sizeof(*spec);
	spec->mode = (uint32_t)making->mode;
	spec->uid = (uint32_t)who->uid;
	spec->gid = (uint32_t)who->gid;
	spec->umask = (uint32_t)who->umask;
	if (parent.mode & S_ISGID) {
		spec->gid = parent.gid;
		spec->mode |= S_ISDIR(making->mode) ? S_ISGID : 0;
	}
	spec->rdev_major = major(making->rdev);
	spec->rdev_minor = minor(making->rdev);
	spec->atime = spec->mtime = spec->ctime = spec->crtime = m->now;
	spec->target = making->target;
	spec->target_length = making->target ? strlen(making->target) : 0;
	spec->flags = making->is_unnamed ? F2FS_NEW_UNNAMED : 0;
	return 0;
}

/* Have the owners of the new inode room for it? */
static int check_quota(fuse_req_t req, struct f2fs_inode *dir, const struct f2fs_new *spec)
{
	struct f2fs_stat owner, parent;
	struct mount *m = fuse_req_userdata(req);
	struct quota_room room;
	int err = m->quota ? f2fs_inode_stat(dir, &parent) : 0;

	if (err || !m->quota)
		return err;
	owner = parent;
	owner.uid = spec->uid;
	owner.gid = spec->gid;
	owner.projid = parent.flags & FS_PROJINHERIT_FL ? parent.projid : 0;
	err = quota_guard_room(m, fuse_req_ctx(req)->uid, &owner, &room);
	return err ? err : room.inodes == 0 ? MOUNT_QUOTA : 0;
}

/* Make an inode, whose name is NULL if it gets none, and fill its entry; an errno. */
static int make(fuse_req_t req, fuse_ino_t parent, const char *name, const struct making *making,
		struct fuse_entry_param *entry)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode, *made = NULL;
	struct f2fs_new spec;
	struct known *dir, *k;
	int err = known_open_number(m, parent, &dir, &inode), code;

	if (!err)
		err = guard_inode(inode, 1);
	if (!err)
		err = spec_of(req, making, inode, &spec);
	if (!err)
		err = check_quota(req, inode, &spec);
	if (!err)
		err = f2fs_create(inode, name, name ? strlen(name) : 0, &spec, &made);
	if (!err) {
		k = known_take(m, SPACE_VOLUME, f2fs_inode_number(made));
		if (k)
			known_give(m, k, made);
		else
			f2fs_inode_close(made);
		if (k && !name)
			k->has_name = 0;
		err = k ? entry_fill(m, dir, k->ino, entry) : F2FS_ERR_NOMEM;
	}
	code = mount_errno(m, err);
	mount_leave(m);
	return code;
}

static void make_and_reply(fuse_req_t req, fuse_ino_t parent, const char *name, const struct making *making)
{
	struct fuse_entry_param entry;
	const int code = make(req, parent, name, making, &entry);

	if (code)
		fuse_reply_err(req, code);
	else
		entry_reply(req, fuse_req_userdata(req), &entry);
}

static void mknod_(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t rdev)
{
	const struct making making = { .mode = mode, .rdev = rdev };

	make_and_reply(req, parent, name, &making);
}

static void mkdir_(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
	const struct making making = { .mode = S_IFDIR | (mode & 07777) };

	make_and_reply(req, parent, name, &making);
}

static void symlink_(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
	const struct making making = { .mode = S_IFLNK | 0777, .target = target };

	make_and_reply(req, parent, name, &making);
}

/* Make a regular file and open it. Its name is NULL if it gets none. */
static void create_and_reply(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode,
			     struct fuse_file_info *fi)
{
	const struct making making = { .mode = S_IFREG | (mode & 07777), .is_unnamed = !name };
	struct fuse_entry_param entry;
	const int code = make(req, parent, name, &making, &entry);

	if (code) {
		fuse_reply_err(req, code);
		return;
	}
	fi->keep_cache = 1;
	if (fuse_reply_create(req, &entry, fi) == -ENOENT) {
		struct mount *m = mount_enter(req);
		struct known *k = known_find(m, entry.ino);

		if (k)
			known_forget(m, k, 1);
		mount_leave(m);
	}
}

static void create(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, struct fuse_file_info *fi)
{
	create_and_reply(req, parent, name, mode, fi);
}

#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
static void tmpfile_(fuse_req_t req, fuse_ino_t parent, mode_t mode, struct fuse_file_info *fi)
{
	create_and_reply(req, parent, NULL, mode, fi);
}
#endif

static void link_(fuse_req_t req, fuse_ino_t number, fuse_ino_t new_parent, const char *name)
{
	struct mount *m = mount_enter_to_change(req);
	struct fuse_entry_param entry;
	struct f2fs_inode *inode, *to;
	struct known *dir, *k;
	int err = known_open_number(m, number, &k, &inode), code;

	if (!err)
		err = known_open_number(m, new_parent, &dir, &to);
	if (!err)
		err = guard_inode(inode, 0);
	if (!err)
		err = guard_inode(to, 1);
	if (!err)
		err = f2fs_link(to, name, strlen(name), inode);
	if (!err)
		k->has_name = 1; /* even if it was made without one */
	if (!err)
		err = entry_fill(m, dir, k->ino, &entry);
	code = mount_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		entry_reply(req, m, &entry);
}

static void remove_(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	struct mount *m = mount_enter_to_change(req);
	struct known *held = NULL;
	struct f2fs_inode *dir;
	int err = known_open_number(m, parent, NULL, &dir), code;

	if (!err)
		err = known_hold(m, dir, name, &held);
	if (!err)
		err = guard_removal(dir, held);
	if (!err)
		err = f2fs_remove(dir, name, strlen(name));
	if (!err)
		known_settle(m, held);
	code = mount_errno(m, err);
	mount_leave(m);
	fuse_reply_err(req, code);
}

static void rename_(fuse_req_t req, fuse_ino_t parent, const char *name, fuse_ino_t new_parent, const char *new_name,
		    unsigned flags)
{
	struct mount *m = mount_enter_to_change(req);
	struct known *moved = NULL, *held = NULL;
	struct f2fs_inode *from, *to;
	int err = known_open_number(m, parent, NULL, &from), code;

	if (!err)
		err = known_open_number(m, new_parent, NULL, &to);
	if (!err)
		err = known_hold(m, from, name, &moved);
	if (!err)
		err = guard_removal(from, moved);
	if (!err) {
		err = known_hold(m, to, new_name, &held);
		if (err == F2FS_ERR_NOT_FOUND) /* nothing is replaced */
			err = guard_inode(to, 1);
		else if (!err)
			err = guard_removal(to, held);
	}
	if (!err)
		err = f2fs_rename(from, name, strlen(name), to, new_name, strlen(new_name), flags);
	if (!err)
		known_settle(m, held);
	code = mount_errno(m, err);
	mount_leave(m);
	fuse_reply_err(req, code);
}

void serve_names(struct fuse_lowlevel_ops *ops)
{
	ops->mknod = mknod_;
	ops->mkdir = mkdir_;
	ops->symlink = symlink_;
	ops->create = create;
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 17)
	ops->tmpfile = tmpfile_;
#endif
	ops->link = link_;
	ops->unlink = remove_;
	ops->rmdir = remove_;
	ops->rename = rename_;
}
