/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copying one entry of the host's tree: type, owner, times, contents with their holes, attributes, links.
 */
#define _GNU_SOURCE /* SEEK_DATA */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "task/populate.h"

static struct f2fs_time time_of(const struct populate *p, struct timespec host)
{
	struct f2fs_time t = { .seconds = host.tv_sec, .nanoseconds = (uint32_t)host.tv_nsec };
	int64_t now;

	if (p->opt.has_time)
		return p->opt.time;
	if (p->opt.keep & F2FS_KEEP_TIMES)
		return t;
	now = clock_now(p->ctx);
	t.seconds = now / 1000000000;
	t.nanoseconds = (uint32_t)(now % 1000000000);
	return t;
}

static void fill_new(const struct populate *p, const struct stat *st, struct f2fs_new *spec)
{
	const uint32_t plain = S_ISDIR(st->st_mode) ? 0755 : 0644;

	memset(spec, 0, sizeof(*spec));
	spec->mode = (uint32_t)(st->st_mode & S_IFMT) | (p->opt.keep & F2FS_KEEP_MODE ? st->st_mode & 07777 : plain);
	spec->uid = p->opt.keep & F2FS_KEEP_OWNER ? st->st_uid : p->opt.uid;
	spec->gid = p->opt.keep & F2FS_KEEP_OWNER ? st->st_gid : p->opt.gid;
	spec->atime = time_of(p, st->st_atim);
	spec->mtime = spec->ctime = spec->crtime = time_of(p, st->st_mtim);
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
		spec->rdev_major = (uint32_t)major(st->st_rdev);
		spec->rdev_minor = (uint32_t)minor(st->st_rdev);
	}
}

/* Copy bytes [start, end) of an open file. A file that gets shorter meanwhile ends there. */
static int copy_range(struct populate *p, int fd, struct f2fs_inode *to, uint64_t start, uint64_t end)
{
	while (start < end) {
		size_t want = end - start < POPULATE_BUFFER ? (size_t)(end - start) : POPULATE_BUFFER;
		ssize_t n = pread(fd, p->buffer, want, (off_t)start);
		int err;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_sys(p->ctx, errno, "cannot read");
		if (n == 0)
			break;
		err = f2fs_inode_write(to, start, p->buffer, (size_t)n);
		if (err)
			return err;
		start += (uint64_t)n;
		p->result->bytes += (uint64_t)n;
	}
	return 0;
}

static int copy_contents(struct populate *p, int fd, struct f2fs_inode *to, const struct stat *st)
{
	const uint64_t size = (uint64_t)st->st_size;
	bool holes = (p->opt.keep & F2FS_KEEP_HOLES) && (uint64_t)st->st_blocks * 512 < size;
	off_t data = 0;
	int err = 0;

	if (!holes)
		return copy_range(p, fd, to, 0, size);
	while (!err && (uint64_t)data < size) {
		off_t hole;

		data = lseek(fd, data, SEEK_DATA);
		if (data < 0) {
			if (errno != ENXIO)
				return copy_range(p, fd, to, 0, size);
			break;
		}
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = (off_t)size;
		err = copy_range(p, fd, to, (uint64_t)data, (uint64_t)hole < size ? (uint64_t)hole : size);
		data = hole;
	}
	return err ? err : f2fs_inode_truncate(to, size);
}

static bool is_wanted(const struct populate *p, const char *name)
{
	if (strncmp(name, "user.", 5) == 0)
		return (p->opt.keep & F2FS_KEEP_USER) != 0;
	if (strncmp(name, "trusted.", 8) == 0)
		return (p->opt.keep & F2FS_KEEP_TRUSTED) != 0;
	if (strncmp(name, "security.", 9) == 0)
		return (p->opt.keep & F2FS_KEEP_SECURITY) != 0;
	return strncmp(name, "system.posix_acl_", 17) == 0 && (p->opt.keep & F2FS_KEEP_ACL);
}

/* Copy all wanted attributes; path names the file without following a link. */
static int copy_xattrs(struct populate *p, const char *path, struct f2fs_inode *to)
{
	ssize_t n = llistxattr(path, p->buffer, 65536);
	char *value = p->buffer + 65536;

	if (n < 0 && (errno == ENOTSUP || errno == ENOENT || errno == EACCES))
		return 0;
	if (n < 0) {
		error_sys(p->ctx, errno, "cannot list the attributes");
		return populate_problem(p, "attributes");
	}
	for (const char *name = p->buffer; name < p->buffer + n; name += strlen(name) + 1) {
		ssize_t size;
		int err;

		if (!is_wanted(p, name))
			continue;
		size = lgetxattr(path, name, value, POPULATE_BUFFER - 65536);
		err = size < 0 ? error_sys(p->ctx, errno, "cannot read the attribute")
			       : f2fs_xattr_set(to, name, value, (size_t)size);
		if (err && (err == F2FS_ERR_NOMEM || populate_problem(p, name) != 0))
			return err;
	}
	return 0;
}

/* A path of an entry that the system calls for attributes take. */
static int xattrs_at(struct populate *p, int at, const char *name, struct f2fs_inode *to)
{
	char path[300]; /* "/proc/self/fd/", a number, a name of at most 255 bytes */

	if (!(p->opt.keep & (F2FS_KEEP_XATTRS | F2FS_KEEP_ACL)))
		return 0;
	if (name)
		snprintf(path, sizeof(path), "/proc/self/fd/%d/%s", at, name);
	else
		snprintf(path, sizeof(path), "/proc/self/fd/%d/.", at);
	return copy_xattrs(p, path, to);
}

static uint32_t link_key(const struct stat *st)
{
	uint64_t mixed = ((uint64_t)st->st_ino ^ (uint64_t)st->st_dev << 40) * 0x9E3779B97F4A7C15u;

	return (uint32_t)(mixed >> 33);
}

static const struct populate_link *find_link(const struct populate *p, const struct stat *st)
{
	const uint64_t *first = map32_find(&p->link_index, link_key(st));

	for (uint64_t i = first ? *first : 0; i != 0;) {
		const struct populate_link *link = vec_at(&p->links, (size_t)i - 1);

		if (link->ino == st->st_ino && link->dev == st->st_dev)
			return link;
		i = link->next;
	}
	return NULL;
}

/* A further name of a file that was copied already; *done says so. */
static int try_link(struct populate *p, struct f2fs_inode *dir, const char *name, const struct stat *st, bool *done)
{
	const struct populate_link *link;
	struct f2fs_inode *first;
	int err;

	*done = false;
	if (st->st_nlink < 2 || !(p->opt.keep & F2FS_KEEP_LINKS))
		return 0;
	link = find_link(p, st);
	if (!link)
		return 0;
	*done = true;
	err = f2fs_inode_open(p->vol, link->to, &first);
	if (err)
		return err;
	err = f2fs_link(dir, name, strlen(name), first);
	f2fs_inode_close(first);
	p->result->links += !err;
	return err;
}

static int remember_link(struct populate *p, const struct stat *st, f2fs_nid_t ino)
{
	const uint64_t *first = map32_find(&p->link_index, link_key(st));
	struct populate_link *link;

	if (st->st_nlink < 2)
		return 0;
	link = vec_push(&p->links, 1);
	if (!link)
		return F2FS_ERR_NOMEM;
	link->dev = st->st_dev;
	link->ino = st->st_ino;
	link->to = ino;
	link->next = first ? *first : 0;
	return map32_set(&p->link_index, link_key(st), p->links.count);
}

static int copy_file(struct populate *p, struct f2fs_inode *dir, int at, const char *name, const struct stat *st,
		     const struct f2fs_new *spec, struct f2fs_inode **out)
{
	int fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), err;

	if (fd < 0)
		return error_sys(p->ctx, errno, "cannot open");
	err = f2fs_create(dir, name, strlen(name), spec, out);
	if (!err) {
		err = copy_contents(p, fd, *out, st);
		p->result->files += !err;
		if (err && !populate_is_fatal(err)) { /* keep what was read, tell of the rest */
			err = populate_problem(p, "contents");
		}
		if (err)
			f2fs_inode_close(*out);
	}
	close(fd);
	return err;
}

static int copy_symlink(struct populate *p, struct f2fs_inode *dir, int at, const char *name, struct f2fs_new *spec,
			struct f2fs_inode **out)
{
	ssize_t n = readlinkat(at, name, p->buffer, POPULATE_BUFFER);
	int err;

	if (n < 0)
		return error_sys(p->ctx, errno, "cannot read the link");
	spec->target = p->buffer;
	spec->target_length = (size_t)n;
	err = f2fs_create(dir, name, strlen(name), spec, out);
	p->result->symlinks += !err;
	return err;
}

int populate_entry(struct populate *p, struct f2fs_inode *dir, int at, const char *name, const struct stat *st,
		   struct f2fs_inode **made)
{
	struct f2fs_inode *inode = NULL;
	struct f2fs_new spec;
	bool done;
	int err;

	fill_new(p, st, &spec);
	if (S_ISDIR(st->st_mode)) {
		err = f2fs_create(dir, name, strlen(name), &spec, made);
		p->result->directories += !err;
		return err;
	}
	err = try_link(p, dir, name, st, &done);
	if (err || done)
		return err;
	if (S_ISREG(st->st_mode)) {
		err = copy_file(p, dir, at, name, st, &spec, &inode);
	} else if (S_ISLNK(st->st_mode)) {
		err = copy_symlink(p, dir, at, name, &spec, &inode);
	} else {
		if (!(p->opt.keep & F2FS_KEEP_SPECIAL))
			return 0;
		err = f2fs_create(dir, name, strlen(name), &spec, &inode);
		p->result->specials += !err;
	}
	if (err)
		return err;
	err = xattrs_at(p, at, name, inode);
	if (!err)
		err = remember_link(p, st, f2fs_inode_number(inode));
	f2fs_inode_close(inode);
	return err;
}

int populate_finish_dir(struct populate *p, struct f2fs_inode *dir, int fd, const struct stat *st)
{
	struct f2fs_stat values = { 0 };
	struct f2fs_new spec;
	int err = xattrs_at(p, fd, NULL, dir);

	if (err)
		return err;
	fill_new(p, st, &spec);
	values.mode = spec.mode;
	values.uid = spec.uid;
	values.gid = spec.gid;
	values.atime = spec.atime;
	values.mtime = spec.mtime;
	values.ctime = spec.ctime;
	return f2fs_inode_set(
		dir, F2FS_SET_MODE | F2FS_SET_UID | F2FS_SET_GID | F2FS_SET_ATIME | F2FS_SET_MTIME | F2FS_SET_CTIME,
		&values);
}
