/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests that read directories. The cookie of an entry is its position in the directory plus one. It stays the
 * same as long as the name is there, so a reader may return to it after any changes.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fuse/access_times.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_inodes.h"

struct reader {
	struct known *known; /* pinned */
	struct f2fs_dir *dir;
	uint64_t cookie;	  /* of the entry given last */
	struct f2fs_dirent entry; /* read already, when has_entry */
	int has_entry;
	int damage; /* error of an entry that was passed over, for the end of the list */
};

/* The answer to one request. */
struct listing {
	fuse_req_t req;
	struct mount *m;
	struct reader *reader;
	char *buffer;
	size_t size, used;
	int with_attributes;
};

static struct reader *reader_of(const struct fuse_file_info *fi)
{
	return (struct reader *)(uintptr_t)fi->fh;
}

static void opendir_(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter(req);
	struct reader *reader = calloc(1, sizeof(*reader));
	struct f2fs_inode *inode;
	int err = reader ? known_open_number(m, number, &reader->known, &inode) : F2FS_ERR_NOMEM, code;

	if (!err)
		err = f2fs_dir_open(inode, &reader->dir);
	if (!err)
		reader->known->pins++;
	code = mount_errno(m, err);
	mount_leave(m);
	if (code) {
		free(reader);
		fuse_reply_err(req, code);
		return;
	}
	fi->fh = (uintptr_t)reader;
	fuse_reply_open(req, fi);
}

static void close_reader(struct mount *m, struct reader *reader)
{
	pthread_mutex_lock(&m->lock);
	f2fs_dir_close(reader->dir);
	reader->known->pins--;
	known_forget(m, reader->known, 0);
	mount_leave(m);
	free(reader);
}

static void releasedir(fuse_req_t req, fuse_ino_t number, struct fuse_file_info *fi)
{
	(void)number;
	close_reader(fuse_req_userdata(req), reader_of(fi));
	fuse_reply_err(req, 0);
}

/* The next entry that can be read; NOT_FOUND at the end. Damaged ones are passed over. */
static int next_entry(struct reader *reader)
{
	int err = 0;

	while (!reader->has_entry) {
		err = f2fs_dir_next(reader->dir, &reader->entry);
		if (!err)
			reader->has_entry = 1;
		else if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO)
			reader->damage = err;
		else
			break;
	}
	return err;
}

static int is_dots(const struct f2fs_dirent *entry)
{
	return !strcmp(entry->name, ".") || !strcmp(entry->name, "..");
}

/* Put the entry into the buffer; 0 when there is no room for it. */
static size_t put_entry(struct listing *l)
{
	const struct f2fs_dirent *entry = &l->reader->entry;
	const off_t cookie = (off_t)entry->position + 1;
	struct fuse_entry_param plus = { 0 };
	char *to = l->buffer + l->used;
	const size_t room = l->size - l->used;
	size_t needed;

	plus.attr.st_ino = entry->ino;
	plus.attr.st_mode = (mode_t)f2fs_mode_of_type(entry->type);
	if (!l->with_attributes) {
		needed = fuse_add_direntry(l->req, to, room, entry->name, &plus.attr, cookie);
		return needed <= room ? needed : 0;
	}
	if (fuse_add_direntry_plus(l->req, NULL, 0, entry->name, NULL, 0) > room)
		return 0;
	/* "." and ".." carry no reference; an inode that cannot be opened fails in its lookup */
	if (!is_dots(entry) && entry_fill(l->m, l->reader->known, entry->ino, &plus) != 0) {
		memset(&plus, 0, sizeof(plus));
		plus.attr.st_ino = entry->ino;
		plus.attr.st_mode = (mode_t)f2fs_mode_of_type(entry->type);
	}
	return fuse_add_direntry_plus(l->req, to, room, entry->name, &plus, cookie);
}

/* Fill the buffer; an error of the library. */
static int fill(struct listing *l)
{
	struct reader *reader = l->reader;
	int err;

	while ((err = next_entry(reader)) == 0) {
		const size_t n = put_entry(l);

		if (n == 0)
			return 0;
		l->used += n;
		reader->cookie = reader->entry.position + 1;
		reader->has_entry = 0;
	}
	if (err != F2FS_ERR_NOT_FOUND)
		return l->used ? 0 : err;
	if (l->used == 0 && reader->damage) {
		err = reader->damage;
		reader->damage = 0;
		return err;
	}
	return 0;
}

static int list(struct listing *l, off_t cookie)
{
	struct reader *reader = l->reader;
	int err = 0;

	if (cookie == 0 || (uint64_t)cookie != reader->cookie) {
		reader->has_entry = 0;
		reader->damage = 0;
		err = f2fs_dir_seek(reader->dir, (uint64_t)cookie);
	}
	reader->cookie = (uint64_t)cookie;
	return err ? err : fill(l);
}

static void read_directory(struct listing *l, off_t cookie)
{
	int code;

	l->m = mount_enter(l->req);
	l->buffer = malloc(l->size);
	code = mount_errno(l->m, l->buffer ? list(l, cookie) : F2FS_ERR_NOMEM);
	if (!code && l->reader->known->inode)
		access_note(l->m, l->reader->known->inode);
	mount_leave(l->m);
	if (code)
		fuse_reply_err(l->req, code);
	else
		fuse_reply_buf(l->req, l->buffer, l->used);
	free(l->buffer);
}

static void readdir_(fuse_req_t req, fuse_ino_t number, size_t size, off_t cookie, struct fuse_file_info *fi)
{
	struct listing l = { .req = req, .reader = reader_of(fi), .size = size };

	(void)number;
	read_directory(&l, cookie);
}

static void readdirplus(fuse_req_t req, fuse_ino_t number, size_t size, off_t cookie, struct fuse_file_info *fi)
{
	struct listing l = { .req = req, .reader = reader_of(fi), .size = size, .with_attributes = 1 };

	(void)number;
	read_directory(&l, cookie);
}

void serve_directories(struct fuse_lowlevel_ops *ops)
{
	ops->opendir = opendir_;
	ops->releasedir = releasedir;
	ops->readdir = readdir_;
	ops->readdirplus = readdirplus;
}
