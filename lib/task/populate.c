/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a volume from a directory of the host: the walk, without recursion, names in the order of their bytes.
 */
#define _GNU_SOURCE
#include "task/populate.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/glob.h"

/* A directory being copied. */
struct level {
	int fd;
	struct f2fs_inode *dir;
	struct vec names; /* char *, sorted */
	size_t next;
	size_t path_length;
	struct stat st;
};

bool populate_is_fatal(int err)
{
	return err == F2FS_ERR_NOSPC || err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED || err == F2FS_ERR_CORRUPT ||
	       err == F2FS_ERR_READ_ONLY || err == F2FS_ERR_STATE;
}

int populate_problem(struct populate *p, const char *what)
{
	struct f2fs_error_detail detail = p->ctx->error;

	p->result->problems++;
	if (p->opt.problem && p->opt.problem(p->opt.user, populate_path(p), what, &detail) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was canceled");
	return 0;
}

static int set_path(struct populate *p, size_t length, const char *name)
{
	size_t n = strlen(name);
	char *text;

	p->path.count = 0;
	if (vec_reserve(&p->path, length + n + 2) != 0)
		return F2FS_ERR_NOMEM;
	text = p->path.items;
	if (length && n)
		text[length++] = '/';
	memcpy(text + length, name, n + 1);
	p->path.count = length + n;
	return 0;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void free_names(struct populate *p, struct vec *names)
{
	for (size_t i = 0; i < names->count; i++)
		mem_free(p->ctx, *(char **)vec_at(names, i));
	vec_fini(names);
}

static int read_names(struct populate *p, int fd, struct vec *names)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	DIR *stream = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;
	int err = 0;

	vec_init(names, p->ctx, sizeof(char *));
	if (!stream) {
		err = error_sys(p->ctx, errno, "cannot read the directory");
		if (copy >= 0)
			close(copy);
		return err;
	}
	while (!err && (errno = 0, entry = readdir(stream)) != NULL) {
		char **slot;

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		slot = vec_push(names, 1);
		if (slot)
			*slot = mem_strdup(p->ctx, entry->d_name);
		if (!slot || !*slot) {
			names->count -= slot != NULL;
			err = F2FS_ERR_NOMEM;
		}
	}
	if (!err && errno)
		err = error_sys(p->ctx, errno, "cannot read the directory");
	closedir(stream);
	if (names->count > 1)
		qsort(names->items, names->count, sizeof(char *), compare_names);
	return err;
}

/* Enter a directory of the host that dir (taken over) stands for. */
static int push_level(struct populate *p, struct vec *levels, int fd, struct f2fs_inode *dir, const struct stat *st)
{
	struct level *level = vec_push(levels, 1);
	int err;

	if (!level) {
		close(fd);
		f2fs_inode_close(dir);
		return F2FS_ERR_NOMEM;
	}
	level->fd = fd;
	level->dir = dir;
	level->st = *st;
	level->path_length = p->path.count;
	err = read_names(p, fd, &level->names);
	if (err && err != F2FS_ERR_NOMEM)
		err = populate_problem(p, "");
	return err;
}

static void pop_level(struct populate *p, struct vec *levels)
{
	struct level *level = vec_at(levels, --levels->count);

	free_names(p, &level->names);
	f2fs_inode_close(level->dir);
	close(level->fd);
}

static bool is_excluded(const struct populate *p, const char *name)
{
	for (unsigned i = 0; i < p->opt.exclude_count; i++) {
		const char *pattern = p->opt.exclude[i];

		if (strchr(pattern, '/') ? glob_match(pattern + (pattern[0] == '/'), populate_path(p))
					 : glob_match(pattern, name))
			return true;
	}
	return false;
}

/* A directory that exists in the volume already is entered. */
static int find_existing(struct populate *p, struct f2fs_inode *dir, const char *name, struct f2fs_inode **out)
{
	struct f2fs_dirent entry;
	int err = f2fs_dir_lookup(dir, name, strlen(name), &entry);

	if (err)
		return err;
	if (entry.type != F2FS_TYPE_DIRECTORY)
		return error_set(p->ctx, F2FS_ERR_EXISTS, "the name exists already");
	return f2fs_inode_open(p->vol, entry.ino, out);
}

static int copy_one(struct populate *p, struct vec *levels, struct level *level, const char *name)
{
	struct f2fs_inode *made = NULL;
	struct stat st;
	int fd, err;

	if (fstatat(level->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return error_sys(p->ctx, errno, "cannot look at it");
	if (p->opt.entry && p->opt.entry(p->opt.user, populate_path(p)) != 0)
		return error_set(p->ctx, F2FS_ERR_CANCELED, "filling the volume was canceled");
	err = populate_entry(p, level->dir, level->fd, name, &st, &made);
	if (err == F2FS_ERR_EXISTS && S_ISDIR(st.st_mode))
		err = find_existing(p, level->dir, name, &made);
	if (err || !made)
		return err;
	fd = openat(level->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		err = error_sys(p->ctx, errno, "cannot open the directory");
		f2fs_inode_close(made);
		return err;
	}
	return push_level(p, levels, fd, made, &st);
}

static int report_progress(const struct populate *p)
{
	const struct f2fs_progress progress = {
		.task = "populate", .phase = "copying", .unit = "files", .done = p->result->files
	};

	return p->result->files % 64 == 0 ? progress_report(p->ctx, &progress) : 0;
}

static int step(struct populate *p, struct vec *levels)
{
	struct level *level = vec_at(levels, levels->count - 1);
	const char *name;
	int err;

	if (level->next == level->names.count) {
		err = populate_finish_dir(p, level->dir, level->fd, &level->st);
		pop_level(p, levels);
		return err;
	}
	name = *(char **)vec_at(&level->names, level->next++);
	err = set_path(p, level->path_length, name);
	if (err || is_excluded(p, name))
		return err;
	err = copy_one(p, levels, level, name);
	if (err && !populate_is_fatal(err))
		err = populate_problem(p, "");
	return err ? err : report_progress(p);
}

/* Open the target directory, making what is missing of its path. */
static int open_target(struct populate *p, struct f2fs_inode **out)
{
	const char *path = p->opt.target ? p->opt.target : "/";
	struct f2fs_inode *at;
	int err = f2fs_lookup(p->vol, "/", 0, &at);

	while (!err) {
		size_t n;
		struct f2fs_inode *next = NULL;
		const struct f2fs_new spec = { .mode = S_IFDIR | 0755,
					       .ctime = p->opt.time,
					       .mtime = p->opt.time,
					       .atime = p->opt.time,
					       .crtime = p->opt.time };
		char name[256];

		path += strspn(path, "/");
		n = strcspn(path, "/");
		if (n == 0)
			break;
		if (n >= sizeof(name)) {
			err = error_set(p->ctx, F2FS_ERR_NAME_TOO_LONG, "a name of the target has more than 255 bytes");
			break;
		}
		memcpy(name, path, n);
		name[n] = '\0';
		path += n;
		err = find_existing(p, at, name, &next);
		if (err == F2FS_ERR_NOT_FOUND)
			err = f2fs_create(at, name, n, &spec, &next);
		f2fs_inode_close(at);
		at = next;
	}
	if (err)
		f2fs_inode_close(at);
	else
		*out = at;
	return err;
}

static int run(struct populate *p)
{
	struct f2fs_inode *target;
	struct vec levels;
	struct stat st;
	int fd = open(p->opt.directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC), err = 0;

	if (fd < 0 || fstat(fd, &st) != 0) {
		err = error_sys(p->ctx, errno, "cannot open the directory %s", p->opt.directory);
		if (fd >= 0)
			close(fd);
		return err;
	}
	vec_init(&levels, p->ctx, sizeof(struct level));
	err = set_path(p, 0, "");
	if (!err)
		err = open_target(p, &target);
	if (err)
		close(fd);
	else
		err = push_level(p, &levels, fd, target, &st);
	while (!err && levels.count > 0)
		err = step(p, &levels);
	while (levels.count > 0)
		pop_level(p, &levels);
	vec_fini(&levels);
	return err;
}

int f2fs_populate(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
		  struct f2fs_populate_result *result)
{
	struct populate p = { .ctx = f2fs_volume_context(vol), .vol = vol, .opt = *options, .result = result };
	int err;

	error_clear(p.ctx);
	memset(result, 0, sizeof(*result));
	if (!options->directory)
		return error_set(p.ctx, F2FS_ERR_INVALID, "no directory to copy from was given");
	if (p.opt.keep == 0)
		p.opt.keep = F2FS_KEEP_DEFAULT;
	vec_init(&p.path, p.ctx, 1);
	vec_init(&p.links, p.ctx, sizeof(struct populate_link));
	map32_init(&p.link_index, p.ctx);
	p.buffer = mem_alloc(p.ctx, POPULATE_BUFFER);
	err = p.buffer ? run(&p) : F2FS_ERR_NOMEM;
	mem_free(p.ctx, p.buffer);
	vec_fini(&p.path);
	vec_fini(&p.links);
	map32_fini(&p.link_index);
	if (!err && result->problems > 0)
		err = error_set(p.ctx, F2FS_ERR_INCOMPLETE, "%llu entries or attributes could not be copied",
				(unsigned long long)result->problems);
	return err;
}
