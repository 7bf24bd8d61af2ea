/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A directory of the host as a source: the walk, without recursion, names in the order of their bytes. Only the
 * directories near the walk stay open. One further up is found again through "..".
 */
#include "source/host.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "host/files.h"
#include "source/ahead.h"
#include "source/hostattr.h"
#include "source/hostfile.h"
#include "source/hostnames.h"
#include "source/path.h"

#define MAX_OPEN 64u /* directories */

/* A directory being walked. */
struct level {
	int fd; /* -1: closed, as it is far up */
	dev_t dev;
	ino_t ino;
	struct vec names; /* struct host_name *, sorted */
	size_t next;
	size_t path_length;
};

struct host_source {
	struct vec levels; /* struct level */
	bool has_started;  /* the directory itself was given */
	bool enters;	   /* the entry given last is a directory to be entered */
	struct stat st;	   /* of the entry given last */
	struct ahead *ahead;	   /* NULL: none */
	struct ahead_entry *entry; /* its results for the entry given last, or NULL */
	struct host_file file;
};

static struct host_source *source_of(const struct source *src)
{
	return src->own;
}

static struct level *top_level(const struct host_source *s)
{
	return vec_at(&s->levels, s->levels.count - 1);
}

/* Enter an open directory. Unreadable parts of it are a problem. */
static int push_level(struct source *src, int fd, const struct stat *st)
{
	struct host_source *s = source_of(src);
	struct level *level = vec_push(&s->levels, 1);
	int err;

	if (!level) {
		close(fd);
		return F2FS_ERR_NOMEM;
	}
	level->fd = fd;
	level->dev = st->st_dev;
	level->ino = st->st_ino;
	level->path_length = src->path.count;
	if (s->levels.count > MAX_OPEN) {
		struct level *far = vec_at(&s->levels, s->levels.count - 1 - MAX_OPEN);

		ahead_drop(s->ahead);
		if (far->fd >= 0)
			close(far->fd);
		far->fd = -1;
	}
	err = host_names_read(src->ctx, fd, &level->names);
	if (err && err != F2FS_ERR_NOMEM) {
		err = source_problem(src, "");
		if (!err)
			err = src->events->unread(src->user);
	}
	return err;
}

/* Leave a directory; the one above may have to be opened again. */
static int pop_level(struct source *src)
{
	struct host_source *s = source_of(src);
	struct level *level = top_level(s), *above = s->levels.count > 1 ? level - 1 : NULL;
	struct stat st;
	int err = 0;

	assert(level);
	ahead_drop(s->ahead);
	if (above && above->fd < 0) {
		above->fd = openat(level->fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (above->fd < 0 || fstat(above->fd, &st) != 0)
			err = error_sys(src->ctx, errno, "cannot go back to the directory above");
		else if (st.st_dev != above->dev || st.st_ino != above->ino)
			err = error_set(src->ctx, F2FS_ERR_BUSY, "the directory was moved while it was copied");
		src->is_broken = err != 0;
	}
	close(level->fd);
	host_names_free(&level->names);
	s->levels.count--;
	return err;
}

/* Report why a path cannot be opened: the host's message does not name the target of a symbolic link. */
static int cannot_open(struct source *src, const char *directory, int sys_errno)
{
	char target[1024];
	const ssize_t n = sys_errno == ENOENT ? readlink(directory, target, sizeof(target) - 1) : -1;

	if (n < 0)
		return error_sys(src->ctx, sys_errno, "cannot open the directory %s", directory);
	target[n] = '\0';
	return error_sys(src->ctx, sys_errno, "cannot open the directory %s, a symbolic link to %s", directory, target);
}

/* The entry given last is a directory and wanted: go into it. */
static int enter(struct source *src)
{
	struct host_source *s = source_of(src);
	struct stat st;
	int fd;

	s->enters = false;
	ahead_drop(s->ahead);
	fd = openat(top_level(s)->fd, source_name(src), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st) != 0) {
		int err = error_sys(src->ctx, errno, "cannot open the directory");

		if (fd >= 0)
			close(fd);
		return err;
	}
	return push_level(src, fd, &st);
}

static struct f2fs_time time_from(struct timespec t)
{
	const struct f2fs_time out = { .seconds = t.tv_sec, .nanoseconds = (uint32_t)t.tv_nsec };

	return out;
}

/* The time of the last change of an inode cannot be chosen on a host: a copy shows that of its contents. */
static void fill_item(struct source_item *item, const struct stat *st)
{
	item->given = GIVEN_MODE | GIVEN_OWNER | GIVEN_MTIME | GIVEN_ATIME;
	item->mode = (uint32_t)st->st_mode;
	item->uid = st->st_uid;
	item->gid = st->st_gid;
	item->atime = time_from(host_atime(st));
	item->mtime = time_from(host_mtime(st));
	item->size = S_ISREG(st->st_mode) ? (uint64_t)st->st_size : 0;
	item->stored = (uint64_t)st->st_blocks * 512 < item->size ? (uint64_t)st->st_blocks * 512 : item->size;
	if (S_ISCHR(st->st_mode) || S_ISBLK(st->st_mode)) {
		item->rdev_major = (uint32_t)host_major(st->st_rdev);
		item->rdev_minor = (uint32_t)host_minor(st->st_rdev);
	}
	item->has_links = st->st_nlink > 1 && !S_ISDIR(st->st_mode);
	item->nlink = (uint32_t)st->st_nlink;
	item->dev = (uint64_t)st->st_dev;
	item->ino = (uint64_t)st->st_ino;
}

/* Give the next entry of the directory. */
static int look(struct source *src, struct source_item *item)
{
	struct host_source *s = source_of(src);
	struct level *level = top_level(s);
	struct host_name *const *names = level->names.items;
	const size_t index = level->next++;
	const char *name = names[index]->name;
	int err = source_set_path(src, level->path_length, name);

	if (err)
		return err;
	s->entry = ahead_take(s->ahead, level->fd, names, level->names.count, index);
	if (s->entry && s->entry->has_stat)
		s->st = s->entry->st;
	else if (fstatat(level->fd, name, &s->st, AT_SYMLINK_NOFOLLOW) != 0)
		return error_sys(src->ctx, errno, "cannot look at it");
	fill_item(item, &s->st);
	s->enters = S_ISDIR(s->st.st_mode);
	return 0;
}

static int next(struct source *src, struct source_item *item)
{
	struct host_source *s = source_of(src);
	int err;

	host_file_close(&s->file);
	s->entry = NULL;
	if (!s->has_started) {
		s->has_started = true;
		fill_item(item, &s->st);
		return source_set_path(src, 0, "");
	}
	if (s->enters) {
		err = enter(src);
		if (err)
			return err;
	}
	while (s->levels.count > 0 && top_level(s)->next == top_level(s)->names.count) {
		err = pop_level(src);
		if (err)
			return err;
	}
	if (s->levels.count == 0)
		return SOURCE_END;
	return look(src, item);
}

static int read_target(struct source *src, int at, const char *name, struct source_item *item)
{
	const struct ahead_entry *entry = source_of(src)->entry;
	ssize_t n;

	if (entry && entry->has_bytes) {
		item->target = entry->bytes;
		item->target_length = entry->length;
		return 0;
	}
	n = readlinkat(at, name, src->buffer, SOURCE_BUFFER);
	if (n < 0)
		return error_sys(src->ctx, errno, "cannot read the link");
	item->target = src->buffer;
	item->target_length = (size_t)n;
	return 0;
}

/* Open a regular file, unless a worker did. */
static int open_file(struct source *src, int at, const char *name)
{
	struct host_source *s = source_of(src);
	struct ahead_entry *e = s->entry;
	int fd;

	if (!e || (e->fd < 0 && !e->has_bytes))
		return host_file_open(src, &s->file, at, name, O_NOFOLLOW);
	fd = e->fd;
	e->fd = -1;
	return host_file_adopt(src, &s->file, fd, e->has_bytes ? e->bytes : NULL, &s->st);
}

static int prepare(struct source *src, struct source_item *item)
{
	struct host_source *s = source_of(src);
	const int at = top_level(s)->fd;
	const char *name = src->path.count == 0 ? "." : source_name(src);
	int err = 0;

	if (item->is_known)
		return 0;
	if (S_ISREG(s->st.st_mode)) {
		err = open_file(src, at, name);
		if (err)
			return err;
		host_file_holes(src, &s->file, &s->st);
		item->has_holes = s->file.has_holes;
	}
	if (s->entry && s->entry->has_no_attributes)
		host_flags(src, at, name, s->file.fd, item);
	else
		err = host_attributes(src, at, name, s->file.fd, item);
	if (!err && S_ISLNK(s->st.st_mode))
		err = read_target(src, at, name, item);
	return err;
}

static int read_contents(struct source *src, struct source_item *item, struct source_chunk *chunk)
{
	return host_file_read(src, &source_of(src)->file, item, chunk);
}

static void again(struct source *src)
{
	host_file_again(&source_of(src)->file);
}

static void skip(struct source *src)
{
	source_of(src)->enters = false;
}

static void close_source(struct source *src)
{
	struct host_source *s = source_of(src);

	host_file_close(&s->file);
	ahead_free(s->ahead);
	for (size_t i = 0; i < s->levels.count; i++) {
		struct level *level = vec_at(&s->levels, i);

		if (level->fd >= 0)
			close(level->fd);
		host_names_free(&level->names);
	}
	vec_fini(&s->levels);
	mem_free(src->ctx, s);
}

/* Filters decide about a file after its attributes are known, and what they leave out stays closed. */
static int start_ahead(struct source *src)
{
	const struct source_options *o = &src->opt;
	const enum ahead_depth depth = o->include_count + o->exclude_count > 0 ? AHEAD_STAT :
				       o->gives_lengths			       ? AHEAD_OPEN :
										 AHEAD_READ;

	return o->only_counts ? 0 : ahead_new(src->ctx, o->keep, depth, &source_of(src)->ahead);
}

int source_host_open(struct source *src, const char *directory)
{
	static const struct source_ops ops = {
		.next = next,
		.prepare = prepare,
		.read = read_contents,
		.again = again,
		.skip = skip,
		.close = close_source,
	};
	struct host_source *s = mem_zalloc(src->ctx, sizeof(*s));
	int fd, err;

	if (!s)
		return F2FS_ERR_NOMEM;
	vec_init(&s->levels, src->ctx, sizeof(struct level));
	s->file.fd = -1;
	src->own = s;
	src->ops = &ops;
	err = start_ahead(src);
	if (err)
		return err;
	fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &s->st) != 0) {
		err = cannot_open(src, directory, errno);
		if (fd >= 0)
			close(fd);
		return err;
	}
	return push_level(src, fd, &s->st);
}
