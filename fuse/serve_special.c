/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer over the other requests, which serves /.f2fs: entries that are no inodes. Requests about inodes, in use or
 * old, go to the functions below.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse/control.h"
#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mount_history.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_inodes.h"

#define TIMEOUT 86400.0

static struct fuse_lowlevel_ops below; /* set once, before the first request */

/* An inode: those below serve it. The other spaces have entries that are none. */
static int is_inode(fuse_ino_t number)
{
	const uint64_t space = number >> 32;

	return space == SPACE_VOLUME || space == SPACE_PAST || space >= SPACE_VIEWS;
}

static int is_control(fuse_ino_t number)
{
	return number >> 32 == SPACE_CONTROL;
}

/* Type and permissions of an entry that is no inode; 0 for one that is. */
static mode_t mode_of(struct mount *m, fuse_ino_t number)
{
	fuse_ino_t found;
	mode_t mode;

	if (is_inode(number))
		return 0;
	if (!is_control(number))
		return m->history ? history_mode(m, number) : 0;
	for (unsigned i = 0; control_entry(m, i, &found, &mode); i++)
		if (found == number)
			return mode;
	return S_IFDIR | 0500;
}

static int is_listed_here(struct mount *m, fuse_ino_t number)
{
	return S_ISDIR(mode_of(m, number)) && number >> 32 != SPACE_CHECKPOINT;
}

static void fill_stat(struct mount *m, fuse_ino_t number, mode_t mode, struct stat *out)
{
	memset(out, 0, sizeof(*out));
	out->st_ino = number;
	out->st_mode = mode;
	out->st_nlink = S_ISDIR(mode) ? 2 : 1;
	out->st_uid = geteuid();
	out->st_gid = getegid();
	out->st_blksize = (blksize_t)m->block_size;
	if (number == control_number(CONTROL_STATUS))
		out->st_size = (off_t)control_status(m);
}

static double timeout_of(fuse_ino_t number)
{
	return number == control_number(CONTROL_STATUS) ? 0 : TIMEOUT;
}

/* Fill the answer to a lookup of a number. An error of the library. */
static int fill_entry(struct mount *m, fuse_ino_t number, struct fuse_entry_param *out)
{
	const mode_t mode = mode_of(m, number);
	const struct known dir = { .space = (uint32_t)(number >> 32) };

	memset(out, 0, sizeof(*out));
	if (!mode)
		return entry_fill(m, &dir, (f2fs_nid_t)number, out);
	fill_stat(m, number, mode, &out->attr);
	out->ino = number;
	out->attr_timeout = timeout_of(number);
	out->entry_timeout = TIMEOUT;
	return 0;
}

/* ---- names ---- */

static int find_control(struct mount *m, const char *name, fuse_ino_t *number)
{
	const char *entry;
	mode_t mode;

	for (unsigned i = 0; (entry = control_entry(m, i, number, &mode)) != NULL; i++)
		if (!strcmp(entry, name))
			return 0;
	return F2FS_ERR_NOT_FOUND;
}

static int find(struct mount *m, fuse_ino_t dir, const char *name, fuse_ino_t *number)
{
	if (dir == control_number(CONTROL_TOP))
		return find_control(m, name, number);
	return m->history ? history_lookup(m, dir, name, number) : F2FS_ERR_NOT_FOUND;
}

/* A directory of a checkpoint stands for the root of its view. Returns an errno. */
static int follow(struct mount *m, fuse_ino_t *number)
{
	int err = 0;

	if (*number >> 32 == SPACE_CHECKPOINT)
		err = m->history ? history_view_root(m, (uint32_t)*number, number) : F2FS_ERR_NOT_FOUND;
	return mount_errno(m, err);
}

/* The volume's own file of that name has precedence. */
static int is_taken(struct mount *m)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *root;

	return known_open_number(m, FUSE_ROOT_ID, NULL, &root) == 0 &&
	       f2fs_dir_lookup(root, CONTROL_NAME, strlen(CONTROL_NAME), &entry) == 0;
}

static void lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
	int is_top = parent == FUSE_ROOT_ID && !strcmp(name, CONTROL_NAME);
	struct fuse_entry_param entry;
	struct mount *m;
	fuse_ino_t number = control_number(CONTROL_TOP);
	int code;

	if (is_inode(parent) && !is_top) {
		below.lookup(req, parent, name);
		return;
	}
	m = mount_enter_quietly(req);
	is_top = is_top && !is_taken(m);
	if (!is_top && !is_listed_here(m, parent)) {
		code = follow(m, &parent);
		mount_leave(m);
		if (code)
			fuse_reply_err(req, code);
		else
			below.lookup(req, parent, name);
		return;
	}
	code = mount_errno(m, is_top ? 0 : find(m, parent, name, &number));
	if (!code)
		code = mount_errno(m, fill_entry(m, number, &entry));
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		entry_reply(req, m, &entry);
}

static void getattr(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	struct mount *m;
	struct stat st;
	mode_t mode;

	if (is_inode(number)) {
		below.getattr(req, number, fi);
		return;
	}
	m = mount_enter_quietly(req);
	mode = mode_of(m, number);
	if (mode)
		fill_stat(m, number, mode, &st);
	mount_leave(m);
	if (mode)
		fuse_reply_attr(req, &st, timeout_of(number));
	else
		below.getattr(req, number, fi);
}

#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18)
static void statx_(fuse_req_t req, fuse_ino_t number, int flags, int mask, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter_quietly(req);
	const mode_t mode = mode_of(m, number);
	struct stat st;

	if (mode)
		fill_stat(m, number, mode, &st);
	mount_leave(m);
	if (mode)
		stat_reply_statx(req, &st, NULL, timeout_of(number));
	else
		below.statx(req, number, flags, mask, fi);
}
#endif

/* The file control may be cut to nothing before a command is written. */
static void setattr(fuse_req_t req, fuse_ino_t number, struct stat *attr, int to_set, struct fuse_file_info *fi)
{
	const int others = FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID;

	if (number == control_number(CONTROL_COMMANDS) && !(to_set & others))
		getattr(req, number, fi);
	else if (number >> 32 == SPACE_VOLUME)
		below.setattr(req, number, attr, to_set, fi);
	else
		fuse_reply_err(req, is_control(number) ? EPERM : EROFS);
}

/* ---- contents ---- */

static void read_(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi)
{
	const char *text;
	struct mount *m;
	size_t length, n;
	char *copy;

	if (!is_control(number)) {
		below.read(req, number, size, offset, fi);
		return;
	}
	m = mount_enter_quietly(req);
	text = control_status_text(m, &length);
	if (number != control_number(CONTROL_STATUS) || (uint64_t)offset >= length)
		length = (size_t)(offset = 0);
	n = length - (size_t)offset < size ? length - (size_t)offset : size;
	copy = malloc(n ? n : 1);
	if (copy && n)
		memcpy(copy, text + offset, n);
	mount_leave(m);
	if (copy)
		fuse_reply_buf(req, copy, n);
	else
		fuse_reply_err(req, ENOMEM);
	free(copy);
}

static void write_(fuse_req_t req, fuse_ino_t number, const char *data, size_t size, off_t offset,
		   struct fuse_file_info *fi)
{
	struct mount *m;
	int code;

	if (!is_control(number)) {
		below.write(req, number, data, size, offset, fi);
		return;
	}
	m = mount_enter_quietly(req);
	code = mount_errno(m, number == control_number(CONTROL_COMMANDS) ? control_run(m, data, size)
									  : MOUNT_NOT_PERMITTED);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_write(req, size);
}

/* ---- directories: read at once, when they are opened ---- */

struct entry {
	char name[F2FS_NAME_ROOM + 16];
	fuse_ino_t number;
	mode_t mode;
};

struct listing {
	struct entry *entries;
	size_t count, room;
};

static int add(void *user, const char *name, fuse_ino_t number, mode_t mode)
{
	struct listing *l = user;

	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 16;
		struct entry *more = realloc(l->entries, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		l->entries = more;
		l->room = room;
	}
	l->entries[l->count].number = number;
	l->entries[l->count].mode = mode;
	snprintf(l->entries[l->count].name, sizeof(l->entries->name), "%s", name);
	l->count++;
	return 0;
}

static int list(struct mount *m, fuse_ino_t number, struct listing *l)
{
	const char *name;
	fuse_ino_t entry;
	mode_t mode;
	int err = add(l, ".", number, S_IFDIR);

	if (!err)
		err = add(l, "..", FUSE_ROOT_ID, S_IFDIR);
	if (err || number != control_number(CONTROL_TOP))
		return err ? err : history_list(m, number, add, l);
	for (unsigned i = 0; !err && (name = control_entry(m, i, &entry, &mode)) != NULL; i++)
		err = add(l, name, entry, mode);
	return err;
}

static void opendir_(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	struct listing *l;
	struct mount *m;
	int code;

	if (is_inode(number)) {
		below.opendir(req, number, fi);
		return;
	}
	m = mount_enter_quietly(req);
	if (!is_listed_here(m, number)) {
		code = follow(m, &number);
		mount_leave(m);
		if (code)
			fuse_reply_err(req, code);
		else
			below.opendir(req, number, fi);
		return;
	}
	l = calloc(1, sizeof(*l));
	code = mount_errno(m, l ? list(m, number, l) : F2FS_ERR_NOMEM);
	mount_leave(m);
	if (!code) {
		fi->fh = (uintptr_t)l;
		fuse_reply_open(req, fi);
		return;
	}
	free(l ? l->entries : NULL);
	free(l);
	fuse_reply_err(req, code);
}

/* Does the number belong to a directory that is listed here? Its handle is a listing then. */
static int has_listing(fuse_req_t req, fuse_ino_t number)
{
	struct mount *m;
	int here;

	if (is_inode(number))
		return 0;
	m = mount_enter_quietly(req);
	here = is_listed_here(m, number);
	mount_leave(m);
	return here;
}

static void releasedir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	struct listing *l = (struct listing *)(uintptr_t)fi->fh;

	if (!has_listing(req, number)) {
		below.releasedir(req, number, fi);
		return;
	}
	free(l->entries);
	free(l);
	fuse_reply_err(req, 0);
}

static void read_directory(fuse_req_t req, size_t size, off_t cookie, const struct listing *l, int with_attributes)
{
	char *buffer = malloc(size ? size : 1);
	size_t used = 0;

	for (size_t i = (size_t)cookie; buffer && i < l->count; i++) {
		/* the number 0 leaves attributes to a lookup */
		const struct fuse_entry_param plus = { .attr = { .st_ino = l->entries[i].number,
								 .st_mode = l->entries[i].mode } };
		const size_t n = with_attributes
					 ? fuse_add_direntry_plus(req, buffer + used, size - used, l->entries[i].name,
								  &plus, (off_t)i + 1)
					 : fuse_add_direntry(req, buffer + used, size - used, l->entries[i].name,
							     &plus.attr, (off_t)i + 1);

		if (n > size - used)
			break;
		used += n;
	}
	if (buffer)
		fuse_reply_buf(req, buffer, used);
	else
		fuse_reply_err(req, ENOMEM);
	free(buffer);
}

static void readdir_(fuse_req_t req, fuse_ino_t number, size_t size, off_t cookie, struct fuse_file_info *fi)
{
	if (has_listing(req, number))
		read_directory(req, size, cookie, (const struct listing *)(uintptr_t)fi->fh, 0);
	else
		below.readdir(req, number, size, cookie, fi);
}

static void readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t cookie, struct fuse_file_info *fi)
{
	if (has_listing(req, number))
		read_directory(req, size, cookie, (const struct listing *)(uintptr_t)fi->fh, 1);
	else
		below.readdirplus(req, number, size, cookie, fi);
}

void serve_special(struct fuse_lowlevel_ops *ops)
{
	below = *ops;
	ops->lookup = lookup;
	ops->getattr = getattr;
	ops->setattr = setattr;
#if FUSE_VERSION >= FUSE_MAKE_VERSION(3, 18)
	ops->statx = statx_;
#endif
	ops->read = read_;
	ops->write = write_;
	ops->opendir = opendir_;
	ops->releasedir = releasedir;
	ops->readdir = readdir_;
	ops->readdirplus = readdirplus;
}
