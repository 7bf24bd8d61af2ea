/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy deleted files to a directory of the host. Nothing that exists there is overwritten or followed. Components of a
 * path come from the image. Each is only ever one name below a directory that is open here.
 */
#ifdef __linux__
#define _GNU_SOURCE /* makedev, fsetxattr */
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "base/error.h"
#include "file/compress.h"
#include "file/object.h"
#include "forensics/past.h"
#include "undelete/host_copy.h"
#include "undelete/undelete_report.h"

enum { NAME_ROOM = 600 };

/* Attributes that a directory gets when all that is in it was made. */
struct noted_dir {
	char *path;
	struct f2fs_stat st;
};

static int host_error(struct undelete *u, const char *what)
{
	return error_sys(u->ctx, errno, "%s", what);
}

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
		if (!err) {
#ifdef __linux__
			if (fsetxattr(fd, x.name, x.value, x.value_size, 0) == 0)
				continue;
#else
			(void)fd;
			errno = ENOTSUP;
#endif
			host_error(u, x.name);
		}
		++*lost;
		err = undelete_report_failed(u, path, F2FS_UNDELETE_NO_ATTRIBUTE, err ? "" : x.name);
	}
	return err;
}

/* Make a directory, or take the one that is there. */
static int make_dir(struct undelete *u, int dir, const char *name, const char *path, size_t length)
{
	char **made;

	if (mkdirat(dir, name, 0777))
		return errno == EEXIST ? 0 : host_error(u, name);
	made = vec_push(&u->made, 1);
	*made = NULL;
	if (!made)
		return F2FS_ERR_NOMEM;
	*made = mem_alloc(u->ctx, length + 1);
	if (!*made)
		return F2FS_ERR_NOMEM;
	memcpy(*made, path, length);
	(*made)[length] = '\0';
	return 0;
}

/* Open the directory for the last component of a path, making missing ones. */
static int open_parent(struct undelete *u, const char *path, char name[NAME_ROOM], int *out)
{
	const char *const whole = path;
	int dir = dup(u->top);

	while (dir >= 0) {
		const char *end;
		size_t n;
		int err, next;

		path += strspn(path, "/");
		end = strchr(path, '/');
		n = end ? (size_t)(end - path) : strlen(path);
		if (n == 0 || n >= NAME_ROOM - 40) {
			close(dir);
			return error_sys(u->ctx, ENAMETOOLONG, "a name");
		}
		memcpy(name, path, n);
		name[n] = '\0';
		if (!end) {
			*out = dir;
			return 0;
		}
		err = make_dir(u, dir, name, whole, (size_t)(end - whole));
		next = err ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (!err && next < 0)
			err = host_error(u, name);
		close(dir);
		if (err)
			return err;
		dir = next;
		path = end;
	}
	return host_error(u, whole);
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
		for (size_t at = 0; at < done;) {
			const ssize_t n = pwrite(fd, u->buffer + at, done - at, (off_t)(from + at));

			if (n <= 0)
				return host_error(u, "write");
			at += (size_t)n;
		}
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
	int err = ftruncate(fd, (off_t)st->size) ? host_error(u, "size") : 0;

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

/* Set attributes. Only root sets owners. Failures are not reported. */
static void set_attributes(int fd, const struct f2fs_stat *st)
{
	const struct timespec times[2] = { { (time_t)st->atime.seconds, (long)(st->atime.nanoseconds % 1000000000u) },
					   { (time_t)st->mtime.seconds, (long)(st->mtime.nanoseconds % 1000000000u) } };

	if (geteuid() == 0 && fchown(fd, st->uid, st->gid))
		errno = 0;
	if (fchmod(fd, st->mode & 0777) || futimens(fd, times))
		errno = 0;
}

static int put_regular(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	const struct f2fs_stat *st = &file->version.stat;
	struct f2fs_inode *inode;
	uint64_t lost = 0, lost_attributes = 0;
	int fd, err = f2fs_inode_open_at(u->vol, u->past, file->version.addr, undelete_open_flags(u), &inode);

	if (err)
		return undelete_ends(err) ? err : undelete_report_failed(u, file->path, F2FS_UNDELETE_UNREADABLE, "");
	if (compress_need(inode)) {
		f2fs_inode_close(inode);
		return undelete_report_failed(u, file->path, F2FS_UNDELETE_UNREADABLE, "");
	}
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		err = host_error(u, name);
		f2fs_inode_close(inode);
		return err;
	}
	err = copy_contents(u, inode, fd, st, &lost);
	if (!err)
		err = put_xattrs(u, inode, fd, file->path, &lost_attributes);
	f2fs_inode_close(inode);
	if (!err)
		set_attributes(fd, st);
	if (close(fd) && !err)
		err = host_error(u, name);
	if (err) {
		unlinkat(dir, name, 0);
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
	if (symlinkat((char *)u->buffer, dir, name))
		return host_error(u, name);
	return undelete_report_back(u, file->path, file->confidence, 0, file->version.remains.blank, 0);
}

static int put_directory(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	struct f2fs_inode *inode;
	struct noted_dir *noted;
	uint64_t lost = 0;
	int fd, err = make_dir(u, dir, name, file->path, strlen(file->path));

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
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			err = put_xattrs(u, inode, fd, file->path, &lost);
			close(fd);
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
	const struct f2fs_stat *st = &file->version.stat;

	if (mknodat(dir, name, (mode_t)(st->mode & (MODE_TYPE | 0777)), makedev(st->rdev_major, st->rdev_minor)))
		return host_error(u, name);
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
	char other[NAME_ROOM];
	int err = 0;

	if (file->link_count >= file->max_links) /* earlier names are among them */
		return 0;
	for (uint32_t i = 0; i < file->link_count && !err; i++) {
		int to = -1;

		err = open_parent(u, file->links[i], other, &to);
		if (!err && linkat(dir, name, to, other, 0))
			err = host_error(u, other);
		if (to >= 0)
			close(to);
		if (err && !undelete_ends(err))
			err = undelete_report_failed(u, file->links[i], F2FS_UNDELETE_NO_LINK, "");
	}
	return err;
}

int undelete_host_put(struct undelete *u, const struct f2fs_deleted *file)
{
	const uint64_t missed = u->result.left_out;
	char name[NAME_ROOM];
	int dir = -1, err = open_parent(u, file->path, name, &dir);

	if (!err)
		err = put_entry(u, file, dir, name);
	if (err && u->ctx->error.sys_errno == EEXIST && dir >= 0) { /* several files had this path */
		snprintf(name + strlen(name), 40, ".~%lu", (unsigned long)file->version.addr);
		err = put_entry(u, file, dir, name);
	}
	if (!err && u->result.left_out == missed)
		err = put_links(u, file, dir, name);
	else if (err && !undelete_ends(err))
		err = undelete_report_failed(u, file->path, F2FS_UNDELETE_REFUSED, "");
	if (dir >= 0)
		close(dir);
	return err;
}

int undelete_host_open(struct undelete *u)
{
	const char *path = u->options->directory;

	vec_init(&u->made, u->ctx, sizeof(char *));
	vec_init(&u->noted, u->ctx, sizeof(struct noted_dir));
	if (mkdir(path, 0777) && errno != EEXIST)
		return host_error(u, path);
	u->top = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return u->top < 0 ? host_error(u, path) : 0;
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
	char name[NAME_ROOM];
	int dir, fd;

	if (open_parent(u, noted->path, name, &dir) == 0) {
		fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (fd >= 0) {
			set_attributes(fd, &noted->st);
			close(fd);
		}
		close(dir);
	}
	u->ctx->error = before;
}

static void free_paths(struct undelete *u)
{
	for (size_t i = 0; i < u->made.count; i++)
		mem_free(u->ctx, *(char **)vec_at(&u->made, i));
	for (size_t i = 0; i < u->noted.count; i++)
		mem_free(u->ctx, ((struct noted_dir *)vec_at(&u->noted, i))->path);
	vec_fini(&u->made);
	vec_fini(&u->noted);
}

/* A path sorts before those below it, so from the end on each directory comes after all that is in it. */
static void set_directories(struct undelete *u)
{
	size_t left = u->made.count;

	vec_sort(&u->made, compare_made);
	vec_sort(&u->noted, compare_noted);
	for (size_t i = u->noted.count; i > 0; i--) {
		const struct noted_dir *noted = vec_at(&u->noted, i - 1);

		while (left && strcmp(*(char **)vec_at(&u->made, left - 1), noted->path) > 0)
			left--;
		if (left && strcmp(*(char **)vec_at(&u->made, left - 1), noted->path) == 0)
			set_directory(u, noted);
	}
}

void undelete_host_close(struct undelete *u)
{
	if (u->top >= 0) {
		set_directories(u);
		close(u->top);
	}
	free_paths(u);
}
