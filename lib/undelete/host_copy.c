/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy deleted files to a directory of the host (sink/hosttree.h).
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/compress.h"
#include "file/object.h"
#include "forensics/past.h"
#include "undelete/host_copy.h"
#include "undelete/undelete_report.h"

/* Attributes that a directory gets when all that is in it was made. */
struct noted_dir {
	char *path;
	struct f2fs_stat st;
};

/* Set the attributes that users see on a new file. Those that the host refuses are reported and counted. */
static int put_xattrs(struct undelete *u, struct f2fs_inode *inode, int fd, const char *path, uint64_t *lost)
{
	const int count = f2fs_xattr_count(inode);
	struct f2fs_xattr x = { 0 };
	int err = 0;

	if (count < 0) {
		++*lost;
		return undelete_ends(count) ? count : undelete_report_failed(u, path, F2FS_UNDELETE_NO_ATTRIBUTE, "");
	}
	for (int i = 0; i < count && !err; i++) {
		err = f2fs_xattr_at(inode, (unsigned)i, &x);
		if (undelete_ends(err))
			return err;
		if (!err && x.is_internal)
			continue;
		if (!err && host_tree_put_xattr(&u->host, fd, &x) == 0)
			continue;
		++*lost;
		err = undelete_report_failed(u, path, F2FS_UNDELETE_NO_ATTRIBUTE, err ? "" : x.name);
	}
	return err;
}

/* Write a range of the file; where it cannot be read, block by block. */
static int copy_range(struct undelete *u, struct f2fs_inode *inode, int fd, uint64_t from, uint64_t to, uint64_t *lost)
{
	const size_t block = u->vol->geo.block_size;
	size_t step = UNDELETE_PIECE;

	while (from < to) {
		const size_t want = to - from < step ? (size_t)(to - from) : step;
		size_t done = 0;
		int err = f2fs_inode_read(inode, from, u->buffer, want, &done);

		if (undelete_ends(err))
			return err;
		if (err && step > block) {
			step = block;
			continue;
		}
		if (err) {
			++*lost;
			from += want;
			continue;
		}
		if (done == 0)
			break;
		err = host_tree_write(&u->host, fd, from, u->buffer, done);
		if (err)
			return err;
		from += done;
	}
	return 0;
}

/* The contents, extent by extent, so that holes stay holes whatever the size. */
static int copy_contents(struct undelete *u, struct f2fs_inode *inode, int fd, const struct f2fs_stat *st,
			 uint64_t *lost)
{
	const uint64_t bs = u->vol->geo.block_size, blocks = st->size / bs + (st->size % bs != 0);
	const uint64_t most = u->vol->geo.block_count + 4096; /* that can be lost: there are no more */
	int err = host_tree_resize(&u->host, fd, st->size);

	for (uint64_t at = 0; at < blocks && !err && *lost < most;) {
		struct f2fs_file_extent extent;
		const int bad = f2fs_inode_extent(inode, at, &extent);
		uint64_t end;

		if (bad == F2FS_ERR_NOT_FOUND)
			break;
		if (undelete_ends(bad))
			return bad;
		if (bad) {
			++*lost;
			at++;
			continue;
		}
		end = extent.file_block + extent.count < blocks ? extent.file_block + extent.count : blocks;
		if (extent.kind != F2FS_EXTENT_HOLE && extent.kind != F2FS_EXTENT_RESERVED)
			err = copy_range(u, inode, fd, at * bs, end * bs < st->size ? end * bs : st->size, lost);
		at = end > at ? end : at + 1;
	}
	return err;
}

static int put_regular(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	const struct f2fs_stat *st = &file->version.stat;
	struct f2fs_inode *inode;
	uint64_t lost = 0, lost_attributes = 0;
	int fd, closed, err = f2fs_inode_open_at(u->vol, u->past, file->version.addr, undelete_open_flags(u), &inode);

	if (err)
		return undelete_ends(err) ? err : undelete_report_failed(u, file->path, F2FS_UNDELETE_UNREADABLE, "");
	if (compress_need(inode)) {
		f2fs_inode_close(inode);
		return undelete_report_failed(u, file->path, F2FS_UNDELETE_UNREADABLE, "");
	}
	err = host_tree_create(&u->host, dir, name, &fd);
	if (err) {
		f2fs_inode_close(inode);
		return err;
	}
	err = copy_contents(u, inode, fd, st, &lost);
	if (!err)
		err = put_xattrs(u, inode, fd, file->path, &lost_attributes);
	f2fs_inode_close(inode);
	if (!err)
		host_tree_set_attributes(fd, st);
	closed = host_tree_close_file(&u->host, fd, name);
	if (!err)
		err = closed;
	if (err) {
		host_tree_remove(dir, name);
		return err;
	}
	return undelete_report_back(u, file->path, file->confidence, lost, file->version.remains.blank,
				    lost_attributes);
}

static int put_symlink(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	struct f2fs_inode *inode;
	size_t length;
	int err = f2fs_inode_open_at(u->vol, u->past, file->version.addr, undelete_open_flags(u), &inode);

	if (!err) {
		err = f2fs_inode_readlink(inode, (char *)u->buffer, TARGET_ROOM, &length);
		f2fs_inode_close(inode);
	}
	if (err)
		return undelete_ends(err) ? err : undelete_report_failed(u, file->path, F2FS_UNDELETE_UNREADABLE, "");
	err = host_tree_symlink(&u->host, (char *)u->buffer, dir, name);
	if (err)
		return err;
	return undelete_report_back(u, file->path, file->confidence, 0, file->version.remains.blank, 0);
}

static int put_directory(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	struct f2fs_inode *inode;
	struct noted_dir *noted;
	uint64_t lost = 0;
	int fd, err = host_tree_make_dir(&u->host, dir, name, file->path, strlen(file->path));

	if (err)
		return err;
	noted = vec_push(&u->noted, 1);
	if (!noted)
		return F2FS_ERR_NOMEM;
	noted->st = file->version.stat;
	noted->path = mem_strdup(u->ctx, file->path);
	if (!noted->path)
		return F2FS_ERR_NOMEM;
	err = f2fs_inode_open_at(u->vol, u->past, file->version.addr, 0, &inode);
	if (undelete_ends(err))
		return err;
	if (!err) {
		fd = host_tree_enter(dir, name);
		if (fd >= 0) {
			err = put_xattrs(u, inode, fd, file->path, &lost);
			host_tree_leave(fd);
		}
		f2fs_inode_close(inode);
		if (err)
			return err;
	}
	u->result.whole++;
	return undelete_report(u, file->path, F2FS_UNDELETE_DONE, 0);
}

/* FIFOs and sockets; devices, when the host lets us. */
static int put_special(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	int err = host_tree_special(&u->host, &file->version.stat, dir, name);

	if (err)
		return err;
	u->result.whole++;
	return undelete_report(u, file->path, F2FS_UNDELETE_DONE, 0);
}

static int put_entry(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	switch (file->version.stat.mode & MODE_TYPE) {
	case MODE_REG:
		return put_regular(u, file, dir, name);
	case MODE_LNK:
		return put_symlink(u, file, dir, name);
	case MODE_DIR:
		return put_directory(u, file, dir, name);
	default:
		return put_special(u, file, dir, name);
	}
}

/* Further names of a file that was made. */
static int put_links(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	char other[HOST_NAME_ROOM];
	int err = 0;

	if (file->link_count >= file->max_links) /* earlier names are among them */
		return 0;
	for (uint32_t i = 0; i < file->link_count && !err; i++) {
		int to = -1;

		err = host_tree_parent(&u->host, file->links[i], other, &to);
		if (!err)
			err = host_tree_link(&u->host, dir, name, to, other);
		host_tree_leave(to);
		if (err && !undelete_ends(err))
			err = undelete_report_failed(u, file->links[i], F2FS_UNDELETE_NO_LINK, "");
	}
	return err;
}

int undelete_host_put(struct undelete *u, const struct f2fs_deleted *file)
{
	const uint64_t missed = u->result.left_out;
	char name[HOST_NAME_ROOM];
	int dir = -1, err = host_tree_parent(&u->host, file->path, name, &dir);

	if (!err)
		err = put_entry(u, file, dir, name);
	if (err == F2FS_ERR_EXISTS && dir >= 0) { /* several files had this path */
		snprintf(name + strlen(name), 40, ".~%lu", (unsigned long)file->version.addr);
		err = put_entry(u, file, dir, name);
	}
	if (!err && u->result.left_out == missed)
		err = put_links(u, file, dir, name);
	else if (err && !undelete_ends(err))
		err = undelete_report_failed(u, file->path, F2FS_UNDELETE_REFUSED, "");
	host_tree_leave(dir);
	return err;
}

int undelete_host_open(struct undelete *u)
{
	vec_init(&u->noted, u->ctx, sizeof(struct noted_dir));
	return host_tree_open(&u->host, u->ctx, u->options->directory);
}

static int compare_made(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_noted(const void *a, const void *b)
{
	return strcmp(((const struct noted_dir *)a)->path, ((const struct noted_dir *)b)->path);
}

/* Only directories that the run made get attributes. */
static void set_directory(struct undelete *u, const struct noted_dir *noted)
{
	const struct f2fs_error_detail before = u->ctx->error;
	char name[HOST_NAME_ROOM];
	int dir, fd;

	if (host_tree_parent(&u->host, noted->path, name, &dir) == 0) {
		fd = host_tree_enter(dir, name);
		if (fd >= 0)
			host_tree_set_attributes(fd, &noted->st);
		host_tree_leave(fd);
		host_tree_leave(dir);
	}
	u->ctx->error = before;
}

/* A path sorts before those below it, so from the end on each directory comes after all that is in it. */
static void set_directories(struct undelete *u)
{
	size_t left = u->host.made.count;

	vec_sort(&u->host.made, compare_made);
	vec_sort(&u->noted, compare_noted);
	for (size_t i = u->noted.count; i > 0; i--) {
		const struct noted_dir *noted = vec_at(&u->noted, i - 1);

		while (left && strcmp(*(char **)vec_at(&u->host.made, left - 1), noted->path) > 0)
			left--;
		if (left && strcmp(*(char **)vec_at(&u->host.made, left - 1), noted->path) == 0)
			set_directory(u, noted);
	}
}

void undelete_host_close(struct undelete *u)
{
	if (u->host.top >= 0)
		set_directories(u);
	host_tree_close(&u->host);
	for (size_t i = 0; i < u->noted.count; i++)
		mem_free(u->ctx, ((struct noted_dir *)vec_at(&u->noted, i))->path);
	vec_fini(&u->noted);
}
