/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files copied out to a directory of the host. Nothing that exists there is overwritten or followed; what was
 * written by others since is a hole in the copy, and told. Pieces of a name come from the image and are only ever one
 * component below a directory that is open here.
 */
#define _GNU_SOURCE /* mknodat, makedev */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#ifdef __linux__
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#endif
#include <unistd.h>

#include "cli/size.h"
#include "dump/dump.h"
#include "dump/made_dirs.h"
#include "dump/versions.h"

enum { MODE_TYPE = 0170000, MODE_DIR = 0040000, MODE_LNK = 0120000, MODE_REG = 0100000, PIECE = 1 << 20 };
enum { TARGET_ROOM = 16385, NAME_ROOM = 600 };

struct undelete {
	struct dump *d;
	struct f2fs_past *past;
	const char *pattern;
	uint32_t number; /* inode, when is_number */
	int is_number;
	int top; /* the directory */
	uint8_t *buffer;
	struct made_dirs made;
	uint64_t found, whole, likely, part, failed;
	uint64_t blank;	      /* files with blank blocks, whether they are restored or not */
};

static int matches(const struct undelete *u, const struct f2fs_deleted *file)
{
	if (!strcmp(u->pattern, "all"))
		return 1;
	if (u->is_number)
		return file->version.ino == u->number;
	return !fnmatch(u->pattern, file->path, 0) || !strcmp(u->pattern, file->path);
}

static void tell(struct undelete *u, const char *path, const char *what)
{
	char shown[4 * 1000];

	f2fs_text_printable(path, strlen(path), shown, sizeof(shown));
	cli_error(&u->d->cli, "%s: %s", shown, what);
	u->d->status |= DUMP_INCOMPLETE;
	u->failed++;
}

/* Tell of something that is missing of a file that is counted otherwise. */
static void tell_more(struct undelete *u, const char *path, const char *what)
{
	tell(u, path, what);
	u->failed--;
}

/* Attributes that users see, onto what was made; what the host refuses is told. */
static void put_xattrs(struct undelete *u, struct f2fs_inode *inode, int fd, const char *path)
{
	const int count = f2fs_xattr_count(inode);
	struct f2fs_xattr x;
	char what[600];

	if (count < 0)
		tell_more(u, path, "its extended attributes are lost");
	for (int i = 0; i < count; i++) {
		int rc = f2fs_xattr_at(inode, (unsigned)i, &x);

		if (!rc && x.is_internal)
			continue;
#ifdef __linux__
		if (!rc && fsetxattr(fd, x.name, x.value, x.value_size, 0) == 0)
			continue;
#else
		(void)fd;
		errno = ENOTSUP;
#endif
		snprintf(what, sizeof(what), "attribute %.260s: %.300s", rc ? "?" : x.name,
			 rc ? f2fs_context_error(u->d->ctx)->message : strerror(errno));
		tell_more(u, path, what);
	}
}

/* Make a directory, or take the one that is there. */
static int make_dir(struct undelete *u, int dir, const char *name, const char *path, size_t length)
{
	if (mkdirat(dir, name, 0777))
		return errno == EEXIST ? 0 : -1;
	if (!made_dirs_add(&u->made, path, length))
		return 0;
	errno = ENOMEM;
	return -1;
}

/* Open the directory that a path's last component goes into, making what is missing; -1 with errno. */
static int open_parent(struct undelete *u, const char *path, char name[NAME_ROOM])
{
	const char *const whole = path;
	int dir = dup(u->top);

	while (dir >= 0) {
		const char *end;
		size_t n;
		int next;

		while (*path == '/')
			path++;
		end = strchr(path, '/');
		n = end ? (size_t)(end - path) : strlen(path);
		if (n == 0 || n >= NAME_ROOM - 40) {
			close(dir);
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		if (!end)
			return dir;
		next = make_dir(u, dir, name, whole, (size_t)(end - whole)) ?
			       -1 :
			       openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		n = (size_t)errno;
		close(dir);
		errno = (int)n;
		dir = next;
		path = end;
	}
	return -1;
}

/* Write a range of the file; where it cannot be read, block by block. Returns 0, or -1 with errno. */
static int copy_range(struct undelete *u, struct f2fs_inode *inode, int fd, uint64_t from, uint64_t to, uint64_t *lost)
{
	size_t step = PIECE;

	while (from < to && !cli_stopped()) {
		size_t want = to - from < step ? (size_t)(to - from) : step, done = 0;
		int rc = f2fs_inode_read(inode, from, u->buffer, want, &done);

		if (rc && step > u->d->geo->block_size) {
			step = u->d->geo->block_size;
			continue;
		}
		if (rc) {
			++*lost;
			from += want;
			continue;
		}
		if (done == 0)
			break;
		for (size_t at = 0; at < done;) {
			ssize_t n = pwrite(fd, u->buffer + at, done - at, (off_t)(from + at));

			if (n <= 0)
				return -1;
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
	const uint64_t bs = u->d->geo->block_size, blocks = st->size / bs + (st->size % bs != 0);
	const uint64_t most = u->d->geo->block_count + 4096; /* that can be lost: there are no more */
	int rc = ftruncate(fd, (off_t)st->size);

	for (uint64_t at = 0; at < blocks && !rc && *lost < most && !cli_stopped();) {
		struct f2fs_file_extent extent;
		int bad = f2fs_inode_extent(inode, at, &extent);
		uint64_t end;

		if (bad == F2FS_ERR_NOT_FOUND)
			break;
		if (bad) {
			++*lost;
			at++;
			continue;
		}
		end = extent.file_block + extent.count < blocks ? extent.file_block + extent.count : blocks;
		if (extent.kind != F2FS_EXTENT_HOLE && extent.kind != F2FS_EXTENT_RESERVED)
			rc = copy_range(u, inode, fd, at * bs, end * bs < st->size ? end * bs : st->size, lost);
		at = end > at ? end : at + 1;
	}
	return rc;
}

static void set_attributes(int fd, const struct f2fs_stat *st)
{
	const struct timespec times[2] = { { (time_t)st->atime.seconds, (long)(st->atime.nanoseconds % 1000000000u) },
					   { (time_t)st->mtime.seconds, (long)(st->mtime.nanoseconds % 1000000000u) } };

	if (geteuid() == 0 && fchown(fd, st->uid, st->gid))
		errno = 0; /* told by nobody who is not root either */
	if (fchmod(fd, st->mode & 0777) || futimens(fd, times))
		errno = 0;
}

/* How inodes are opened. */
static unsigned flags_of(const struct undelete *u)
{
	return u->d->takes_blank ? F2FS_AT_BLANK : 0;
}

/* Count a file whose contents were copied, and report what is wrong with them. */
static void tell_contents(struct undelete *u, const struct f2fs_deleted *file, uint64_t lost)
{
	const uint64_t blank = file->version.remains.blank;
	const uint64_t holes = u->d->takes_blank || blank > lost ? lost : lost - blank;
	char what[160];

	if (!lost && !blank && file->confidence < F2FS_CONFIDENCE_PART) {
		u->whole += file->confidence == F2FS_CONFIDENCE_WHOLE;
		u->likely += file->confidence == F2FS_CONFIDENCE_LIKELY;
		return;
	}
	u->part++;
	u->blank += blank != 0;
	if (holes || !blank) {
		snprintf(what, sizeof(what), "%llu blocks are lost or were written by others: they are holes",
			 (unsigned long long)holes);
		tell_more(u, file->path, what);
	}
	if (blank) {
		snprintf(what, sizeof(what), "%llu blocks are blank, probably discarded: they are %s",
			 (unsigned long long)blank, u->d->takes_blank ? "copied as they are" : "holes");
		tell_more(u, file->path, what);
	}
}

static int put_regular(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	const struct f2fs_stat *st = &file->version.stat;
	struct f2fs_inode *inode;
	uint64_t lost = 0;
	int fd, rc = f2fs_inode_open_at(u->d->vol, u->past, file->version.addr, flags_of(u), &inode);

	if (rc) {
		dump_fail(u->d, rc, file->path);
		return 0;
	}
	if (f2fs_inode_read(inode, 0, u->buffer, 1, &(size_t){ 0 }) == F2FS_ERR_ENCRYPTED) {
		tell(u, file->path, f2fs_context_error(u->d->ctx)->message);
		f2fs_inode_close(inode);
		return 0;
	}
	fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0) {
		rc = errno;
		f2fs_inode_close(inode);
		errno = rc;
		return -1;
	}
	rc = copy_contents(u, inode, fd, st, &lost);
	if (!rc)
		put_xattrs(u, inode, fd, file->path);
	f2fs_inode_close(inode);
	if (rc) {
		rc = errno;
		close(fd);
		unlinkat(dir, name, 0);
		errno = rc;
		return -1;
	}
	set_attributes(fd, st);
	if (close(fd))
		return -1;
	tell_contents(u, file, lost);
	return 0;
}

static int put_symlink(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	char *target = malloc(TARGET_ROOM);
	struct f2fs_inode *inode;
	size_t length;
	int rc = target ? f2fs_inode_open_at(u->d->vol, u->past, file->version.addr, flags_of(u), &inode)
			: F2FS_ERR_NOMEM;

	if (!rc) {
		rc = f2fs_inode_readlink(inode, target, TARGET_ROOM, &length);
		f2fs_inode_close(inode);
	}
	if (rc) {
		free(target);
		tell(u, file->path, f2fs_context_error(u->d->ctx)->message);
		return 0;
	}
	rc = symlinkat(target, dir, name);
	free(target);
	if (!rc)
		tell_contents(u, file, 0);
	return rc;
}

static int put_directory(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	struct f2fs_inode *inode;
	int fd;

	if (make_dir(u, dir, name, file->path, strlen(file->path)))
		return -1;
	made_dirs_note(&u->made, file->path, &file->version.stat);
	u->whole++;
	if (f2fs_inode_open_at(u->d->vol, u->past, file->version.addr, 0, &inode))
		return 0;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0) {
		put_xattrs(u, inode, fd, file->path);
		close(fd);
	}
	f2fs_inode_close(inode);
	return 0;
}

static void set_directory(void *user, const char *path, const struct f2fs_stat *st)
{
	struct undelete *u = user;
	char name[NAME_ROOM];
	const int dir = open_parent(u, path, name);
	const int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd >= 0) {
		set_attributes(fd, st);
		close(fd);
	}
	if (dir >= 0)
		close(dir);
}

/* FIFOs and sockets; devices, when the host lets us. */
static int put_special(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	const struct f2fs_stat *st = &file->version.stat;

	if (mknodat(dir, name, (mode_t)(st->mode & (MODE_TYPE | 0777)), makedev(st->rdev_major, st->rdev_minor)))
		return -1;
	u->whole++;
	return 0;
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

/* Further names of what was made. */
static void put_links(struct undelete *u, const struct f2fs_deleted *file, int dir, const char *name)
{
	char other[NAME_ROOM];

	if (file->link_count >= file->max_links) /* earlier names are among them */
		return;
	for (uint32_t i = 0; i < file->link_count; i++) {
		const int to = open_parent(u, file->links[i], other);

		if (to < 0 || linkat(dir, name, to, other, 0))
			tell_more(u, file->links[i], strerror(errno));
		if (to >= 0)
			close(to);
	}
}

/* Of a directory the inode is all that counts: entries are files of their own. */
static int has_contents(const struct f2fs_deleted *file)
{
	return file->version.stat.size > 0 && (file->version.stat.mode & MODE_TYPE) != MODE_DIR;
}

static int take(void *user, const struct f2fs_deleted *file)
{
	struct undelete *u = user;
	char name[NAME_ROOM];
	int dir, rc;

	if (cli_stopped())
		return f2fs_context_fail(u->d->ctx, F2FS_ERR_CANCELED, "canceled");
	if (!matches(u, file))
		return 0;
	u->found++;
	if (file->confidence == F2FS_CONFIDENCE_NAME) {
		tell(u, file->path, "only the name is left");
		return 0;
	}
	if (has_contents(file) && file->confidence == F2FS_CONFIDENCE_METADATA) {
		tell(u, file->path, "nothing of its contents is left");
		return 0;
	}
	if (has_contents(file) && file->confidence == F2FS_CONFIDENCE_BLANK && !u->d->takes_blank) {
		tell(u, file->path, "its blocks are blank, probably discarded (--blank copies it as it is)");
		u->blank++;
		return 0;
	}
	dir = open_parent(u, file->path, name);
	rc = dir < 0 ? -1 : put_entry(u, file, dir, name);
	if (rc && errno == EEXIST && dir >= 0) { /* several files had this path */
		snprintf(name + strlen(name), 40, ".~%lu", (unsigned long)file->version.addr);
		rc = put_entry(u, file, dir, name);
	}
	if (rc)
		tell(u, file->path, strerror(errno));
	else
		put_links(u, file, dir, name);
	if (dir >= 0)
		close(dir);
	return 0;
}

int dump_open_to(struct dump *d, const char *what)
{
	int fd;

	if (!d->to) {
		cli_error(&d->cli, "%s needs --to=DIR", what);
		d->status |= DUMP_USAGE;
		return -1;
	}
	if (mkdir(d->to, 0777) && errno != EEXIST) {
		cli_error(&d->cli, "%s: %s", d->to, strerror(errno));
		d->status |= DUMP_FAILED;
		return -1;
	}
	fd = open(d->to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		cli_error(&d->cli, "%s: %s", d->to, strerror(errno));
		d->status |= DUMP_FAILED;
	}
	return fd;
}

/* The version at a block address, out of all of its inode. */
struct wanted {
	uint32_t addr;
	struct f2fs_version *out;
};

static int pick(void *user, const struct f2fs_version *version)
{
	const struct wanted *w = user;

	if (version->addr == w->addr)
		*w->out = *version;
	return 0;
}

/* One old version by its block address: it goes by its own name. */
static int take_version(struct undelete *u, const char *text)
{
	struct f2fs_deleted file = { .sources = F2FS_DELETED_NODE };
	struct wanted wanted = { .out = &file.version };
	struct f2fs_inode *inode;
	char path[300];
	int rc;

	if (dump_parse_number(u->d, "block address", text, u->d->geo->end_blkaddr, &wanted.addr))
		return F2FS_ERR_INVALID;
	rc = f2fs_inode_open_at(u->d->vol, u->past, wanted.addr, 0, &inode);
	if (!rc) {
		rc = f2fs_inode_stat(inode, &file.version.stat);
		file.version.ino = f2fs_inode_number(inode);
		f2fs_inode_close(inode);
	}
	if (!rc)
		rc = f2fs_past_list_versions(u->past, file.version.ino, pick, &wanted);
	if (rc)
		return dump_fail(u->d, rc, u->pattern);
	snprintf(path, sizeof(path), "/inode-%lu", (unsigned long)file.version.ino);
	file.path = path;
	file.confidence = file.version.confidence;
	file.version.addr = wanted.addr;
	u->pattern = "all";
	return take(u, &file);
}

static int run(struct undelete *u, const char *argument)
{
	int rc = argument[0] == '@' ? take_version(u, argument + 1) : f2fs_past_list_deleted(u->past, take, u);

	if (rc) {
		if (argument[0] != '@')
			dump_fail(u->d, rc, "--undelete");
		return rc;
	}
	if (!u->found) {
		cli_error(&u->d->cli, "%s: no deleted file of that name or number is left", argument);
		u->d->status |= DUMP_MISSING;
	}
	cli_print_u64(u->d->out, "found", u->found);
	cli_print_u64(u->d->out, "restored", u->whole);
	cli_print_u64(u->d->out, "restored_likely", u->likely);
	cli_print_u64(u->d->out, "restored_in_part", u->part);
	cli_print_u64(u->d->out, "blank", u->blank);
	cli_print_u64(u->d->out, "not_restored", u->failed);
	return 0;
}

int view_undelete(struct dump *d, const char *argument)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	struct undelete u = { .d = d, .pattern = argument };
	int rc = -1;

	u.is_number = argument[0] >= '0' && argument[0] <= '9' && !cli_parse_u32(argument, 0, UINT32_MAX, &u.number);
	u.top = dump_open_to(d, "--undelete");
	if (u.top < 0)
		return rc;
	u.buffer = malloc(PIECE);
	if (!u.buffer)
		rc = dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
	else
		rc = dump_past_open(d, &options, &u.past);
	if (!rc) {
		rc = run(&u, argument);
		made_dirs_end(&u.made, set_directory, &u);
		dump_past_close(d, u.past);
	}
	free(u.buffer);
	close(u.top);
	return rc;
}
