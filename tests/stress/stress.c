/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make the same random changes to a volume and to a directory of the host. Both must be equal afterwards. Usage: stress
 * IMAGE DIRECTORY SEED STEPS COMMIT_EVERY [WRITE_OPTIONS]. Some commits are followed by opening the volume again. On a
 * volume with the feature half of the files are compressed, in all ways there are; these get no long holes, because
 * fsck.f2fs 1.15 counts wrong after holes in indirect nodes of compressed files.
 */
#define _GNU_SOURCE
#include <f2fskit/f2fskit.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "common/tally.h"

#define MAX_PATH 240
#define MAX_NAMES 20000u
#define BUFFER (3u << 20)

struct names {
	char (*path)[MAX_PATH]; /* "/a/b"; directories: "" is the root */
	unsigned count;
};

#define HELD 6u
#define SAMPLE 60000u

/* A file that was removed while it was open, and how it begins. */
struct held {
	struct f2fs_inode *inode;
	size_t size;
	char bytes[SAMPLE];
};

struct stress {
	struct held held[HELD];
	struct f2fs_context *ctx;
	struct f2fs_device *dev, *recorder; /* over dev, in every other opening: it takes one write at a time */
	struct tally tally;
	unsigned openings;
	struct f2fs_volume *vol;
	const char *host;
	struct f2fs_write_options options;
	struct names dirs, files;
	unsigned next, step;
	char *buffer;
};

static void check(const struct stress *s, int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "step %u: %s: %s\n", s->step, what, f2fs_context_error(s->ctx)->message);
	exit(1);
}

static void check_host(const struct stress *s, int bad, const char *what)
{
	if (!bad)
		return;
	fprintf(stderr, "step %u: host: %s: ", s->step, what);
	perror("");
	exit(1);
}

static const char *on_host(const struct stress *s, const char *path, char *out)
{
	snprintf(out, 2 * MAX_PATH, "%s%s", s->host, path);
	return out;
}

static struct f2fs_inode *look(struct stress *s, const char *path)
{
	struct f2fs_inode *inode = NULL;

	check(s, f2fs_lookup(s->vol, path[0] ? path : "/", 0, &inode), path);
	return inode;
}

/* The directory of a path, open, and the last component. */
static struct f2fs_inode *parent_of(struct stress *s, const char *path, const char **name)
{
	char dir[MAX_PATH];
	const char *slash = strrchr(path, '/');

	memcpy(dir, path, (size_t)(slash - path));
	dir[slash - path] = '\0';
	*name = slash + 1;
	return look(s, dir);
}

static const char *pick(const struct names *names)
{
	return names->path[(unsigned)rand() % names->count];
}

static void new_path(struct stress *s, char *out, const char *kind)
{
	static const char tail[] = "-with-a-rather-long-name-that-takes-slots";
	const char *dir = pick(&s->dirs);

	if (strlen(dir) > 120)
		dir = "";
	snprintf(out, MAX_PATH, "%s/%s%u%.*s", dir, kind, s->next++, rand() % (int)sizeof(tail), tail);
}

static void add(struct names *names, const char *path)
{
	if (names->count < MAX_NAMES)
		memcpy(names->path[names->count++], path, MAX_PATH);
}

static void drop(struct names *names, unsigned i)
{
	memmove(names->path[i], names->path[--names->count], MAX_PATH);
}

static void fill(struct stress *s, size_t n)
{
	for (size_t i = 0; i < n; i += 61)
		s->buffer[i] = (char)rand();
}

static void spec_of(const struct stress *s, struct f2fs_new *spec, unsigned mode)
{
	*spec = (struct f2fs_new){ F2FS_SIZED(f2fs_new) };
	spec->mode = mode;
	spec->uid = s->step % 3;
	spec->gid = s->step % 5;
	spec->mtime.seconds = spec->ctime.seconds = spec->atime.seconds = 1600000000 + (int64_t)s->step;
}

static void make(struct stress *s, const char *path, struct f2fs_new *spec, struct f2fs_inode **out)
{
	const char *name;
	struct f2fs_inode *dir = parent_of(s, path, &name);

	check(s, f2fs_create(dir, name, strlen(name), spec, out), path);
	f2fs_inode_close(dir);
}

static void do_mkdir(struct stress *s)
{
	char path[MAX_PATH] = "", host[2 * MAX_PATH];
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };

	new_path(s, path, "d");
	spec_of(s, &spec, 040755);
	make(s, path, &spec, NULL);
	check_host(s, mkdir(on_host(s, path, host), 0755), path);
	add(&s->dirs, path);
}

/* Make a new file compressed somehow, if the volume has that. */
static void compress(struct stress *s, struct f2fs_inode *inode)
{
	static const unsigned levels[][3] = { { 0, 0, 0 }, { 0, 3, 12 }, { 0, 1, 9 }, { 0, 0, 0 } };
	struct f2fs_compression how = { .algorithm = (uint8_t)(rand() % 4) };

	if (!(f2fs_volume_geometry(s->vol)->feature & F2FS_FEAT_COMPRESSION) || rand() % 2)
		return;
	how.level = (uint8_t)levels[how.algorithm][rand() % 3];
	how.log_cluster = (uint8_t)(rand() % 3 ? 2 + rand() % 3 : 2 + rand() % 7);
	how.checksum = (uint8_t)(rand() % 2);
	check(s, f2fs_compress_set(inode, &how), "compress");
}

/* Give the saved blocks of a file back, or undo that. */
static void do_release(struct stress *s)
{
	struct f2fs_inode *inode = look(s, pick(&s->files));
	int err = f2fs_compress_release(inode, NULL);

	if (err == F2FS_ERR_STATE || (!err && rand() % 2))
		err = f2fs_compress_reserve(inode, NULL);
	if (err != F2FS_ERR_INVALID && err != F2FS_ERR_ACCESS)
		check(s, err, "release");
	f2fs_inode_close(inode);
}

static void do_create(struct stress *s)
{
	static const unsigned sizes[] = { 1, 3000, 3000, 60000, 60000, BUFFER };
	char path[MAX_PATH] = "", host[2 * MAX_PATH];
	size_t size = (size_t)rand() % sizes[(unsigned)rand() % 6];
	struct f2fs_inode *inode;
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	int fd;

	new_path(s, path, "f");
	spec_of(s, &spec, 0100644);
	make(s, path, &spec, &inode);
	compress(s, inode);
	fill(s, size);
	check(s, f2fs_inode_write(inode, 0, s->buffer, size), path);
	f2fs_inode_close(inode);
	fd = open(on_host(s, path, host), O_CREAT | O_EXCL | O_WRONLY, 0644);
	check_host(s, fd < 0 || write(fd, s->buffer, size) != (ssize_t)size || close(fd), path);
	add(&s->files, path);
}

static int host_size(const struct stress *s, const char *path, uint64_t *size)
{
	char host[2 * MAX_PATH];
	struct stat st;

	check_host(s, lstat(on_host(s, path, host), &st), path);
	*size = (uint64_t)st.st_size;
	return S_ISREG(st.st_mode);
}

/* Undo a release; does the file take holes anywhere? */
static int make_writable(struct stress *s, struct f2fs_inode *inode)
{
	struct f2fs_stat st;

	check(s, f2fs_inode_stat(inode, &st), "stat");
	if (st.inline_flags & 0x80) /* its saved blocks were given back */
		check(s, f2fs_compress_reserve(inode, NULL), "reserve");
	return !st.is_compressed;
}

static void do_write(struct stress *s)
{
	const char *path = pick(&s->files);
	char host[2 * MAX_PATH];
	uint64_t size, offset;
	size_t n = (size_t)rand() % 20000;
	struct f2fs_inode *inode;
	int fd;

	if (!host_size(s, path, &size))
		return;
	offset = rand() % 4 ? (uint64_t)rand() % (size + 1) : (uint64_t)rand() % (rand() % 20 ? 20000000 : 120000000);
	fill(s, n);
	inode = look(s, path);
	if (!make_writable(s, inode))
		offset %= size + 1;
	check(s, f2fs_inode_write(inode, offset, s->buffer, n), path);
	f2fs_inode_close(inode);
	fd = open(on_host(s, path, host), O_WRONLY);
	check_host(s, fd < 0 || pwrite(fd, s->buffer, n, (off_t)offset) != (ssize_t)n || close(fd), path);
}

static void do_truncate(struct stress *s)
{
	const char *path = pick(&s->files);
	char host[2 * MAX_PATH];
	struct f2fs_inode *inode;
	uint64_t size;

	if (!host_size(s, path, &size))
		return;
	size = rand() % 3 ? (uint64_t)rand() % (size + 1) : size + (uint64_t)rand() % 100000;
	inode = look(s, path);
	make_writable(s, inode);
	check(s, f2fs_inode_truncate(inode, size), path);
	f2fs_inode_close(inode);
	check_host(s, truncate(on_host(s, path, host), (off_t)size), path);
}

/* Open files are unchanged, and can be written. */
static void use_held(struct stress *s, struct held *h)
{
	size_t done;

	check(s, f2fs_inode_read(h->inode, 0, s->buffer, SAMPLE, &done), "a removed file");
	if (done != h->size || memcmp(s->buffer, h->bytes, done) != 0) {
		fprintf(stderr, "step %u: a file that was removed while open has changed\n", s->step);
		exit(1);
	}
	check(s, f2fs_inode_write(h->inode, SAMPLE + (uint64_t)rand() % 100000, s->buffer, 5000), "a removed file");
	check(s, f2fs_inode_read(h->inode, 0, h->bytes, SAMPLE, &h->size), "a removed file");
}

static void release_held(struct stress *s)
{
	for (unsigned i = 0; i < HELD; i++) {
		f2fs_inode_close(s->held[i].inode);
		s->held[i].inode = NULL;
	}
}

/* Sometimes keep a file open that is removed next. */
static void hold(struct stress *s, const char *path)
{
	struct held *h = &s->held[(unsigned)rand() % HELD];
	struct f2fs_stat stat;

	if (h->inode) {
		use_held(s, h);
		f2fs_inode_close(h->inode);
	}
	h->inode = look(s, path);
	check(s, f2fs_inode_stat(h->inode, &stat), path);
	if ((stat.mode & S_IFMT) == S_IFREG && stat.nlink == 1 && !stat.is_compressed) {
		check(s, f2fs_inode_read(h->inode, 0, h->bytes, SAMPLE, &h->size), path);
		return;
	}
	f2fs_inode_close(h->inode);
	h->inode = NULL;
}

static void do_remove(struct stress *s)
{
	unsigned i = (unsigned)rand() % s->files.count;
	const char *name, *path = s->files.path[i];
	struct f2fs_inode *dir = parent_of(s, path, &name);
	char host[2 * MAX_PATH];

	if (rand() % 3 == 0)
		hold(s, path);
	check(s, f2fs_remove(dir, name, strlen(name)), path);
	f2fs_inode_close(dir);
	check_host(s, unlink(on_host(s, path, host)), path);
	drop(&s->files, i);
}

static void do_rename(struct stress *s)
{
	unsigned i = (unsigned)rand() % s->files.count;
	char from[MAX_PATH], to[MAX_PATH] = "", host[2 * MAX_PATH], host_to[2 * MAX_PATH];
	const char *old_name, *name;
	struct f2fs_inode *old_dir, *dir;
	struct stat a, b;
	int same;

	memcpy(from, s->files.path[i], MAX_PATH);
	if (rand() % 3)
		new_path(s, to, "r");
	else
		memcpy(to, pick(&s->files), MAX_PATH);
	on_host(s, from, host);
	on_host(s, to, host_to);
	same = lstat(host, &a) == 0 && lstat(host_to, &b) == 0 && a.st_ino == b.st_ino;
	old_dir = parent_of(s, from, &old_name);
	dir = parent_of(s, to, &name);
	check(s, f2fs_rename(old_dir, old_name, strlen(old_name), dir, name, strlen(name), 0), to);
	f2fs_inode_close(old_dir);
	f2fs_inode_close(dir);
	check_host(s, rename(host, host_to), to);
	if (same) /* two names of one file: nothing happens */
		return;
	drop(&s->files, i);
	for (unsigned k = 0; k < s->files.count; k++) {
		if (strcmp(s->files.path[k], to) == 0) {
			drop(&s->files, k);
			break;
		}
	}
	add(&s->files, to);
}

/* Two names change places. */
static void do_exchange(struct stress *s)
{
	const char *a = pick(&s->files), *b = pick(&s->files), *a_name, *b_name;
	struct f2fs_inode *a_dir = parent_of(s, a, &a_name), *b_dir = parent_of(s, b, &b_name);
	char host[2 * MAX_PATH], host_to[2 * MAX_PATH], aside[2 * MAX_PATH];

	check(s, f2fs_rename(a_dir, a_name, strlen(a_name), b_dir, b_name, strlen(b_name), F2FS_RENAME_EXCHANGE), a);
	f2fs_inode_close(a_dir);
	f2fs_inode_close(b_dir);
	on_host(s, "/aside", aside);
	check_host(s, rename(on_host(s, a, host), aside), a);
	check_host(s, strcmp(a, b) != 0 && rename(on_host(s, b, host_to), host), b);
	check_host(s, rename(aside, on_host(s, b, host_to)), b);
}

/* Names below a directory that has moved. */
static void move_names(struct names *names, const char *from, const char *to)
{
	const size_t n = strlen(from);
	char path[MAX_PATH * 2];

	for (unsigned i = 0; i < names->count; i++) {
		if (strncmp(names->path[i], from, n) != 0 || (names->path[i][n] != '/' && names->path[i][n] != '\0'))
			continue;
		snprintf(path, sizeof(path), "%s%s", to, names->path[i] + n);
		memcpy(names->path[i], path, MAX_PATH);
	}
}

static size_t longest(const struct names *names)
{
	size_t most = 0;

	for (unsigned i = 0; i < names->count; i++)
		if (strlen(names->path[i]) > most)
			most = strlen(names->path[i]);
	return most;
}

static void do_move_dir(struct stress *s)
{
	char from[MAX_PATH], to[MAX_PATH] = "", host[2 * MAX_PATH], host_to[2 * MAX_PATH];
	const char *old_name, *name;
	struct f2fs_inode *old_dir, *dir;
	size_t n;
	int err;

	memcpy(from, pick(&s->dirs), MAX_PATH);
	n = strlen(from);
	new_path(s, to, "m");
	if (n == 0 || longest(&s->files) + strlen(to) >= MAX_PATH || longest(&s->dirs) + strlen(to) >= MAX_PATH)
		return;
	old_dir = parent_of(s, from, &old_name);
	dir = parent_of(s, to, &name);
	err = f2fs_rename(old_dir, old_name, strlen(old_name), dir, name, strlen(name), 0);
	f2fs_inode_close(old_dir);
	f2fs_inode_close(dir);
	if (strncmp(from, to, n) == 0 && to[n] == '/') {
		check(s, err != F2FS_ERR_INVALID, "a directory moved below itself");
		return;
	}
	check(s, err, to);
	check_host(s, rename(on_host(s, from, host), on_host(s, to, host_to)), to);
	move_names(&s->dirs, from, to);
	move_names(&s->files, from, to);
}

static void do_link(struct stress *s)
{
	char path[MAX_PATH] = "", host[2 * MAX_PATH], host_to[2 * MAX_PATH];
	const char *name, *first = pick(&s->files);
	struct f2fs_inode *inode, *dir;

	new_path(s, path, "l");
	inode = look(s, first);
	dir = parent_of(s, path, &name);
	check(s, f2fs_link(dir, name, strlen(name), inode), path);
	f2fs_inode_close(inode);
	f2fs_inode_close(dir);
	check_host(s, link(on_host(s, first, host), on_host(s, path, host_to)), path);
	add(&s->files, path);
}

static void do_symlink(struct stress *s)
{
	char path[MAX_PATH] = "", host[2 * MAX_PATH];
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };

	new_path(s, path, "s");
	spec_of(s, &spec, 0120777);
	memset(s->buffer, 't', 4096);
	spec.target = s->buffer;
	spec.target_length = 1 + (size_t)rand() % (rand() % 2 ? 100 : 4000);
	make(s, path, &spec, NULL);
	s->buffer[spec.target_length] = '\0';
	check_host(s, symlink(s->buffer, on_host(s, path, host)), path);
	add(&s->files, path);
}

static void do_xattr(struct stress *s)
{
	const char *path = pick(&s->files);
	size_t n = (size_t)rand() % (rand() % 3 ? 50 : 1500);
	struct f2fs_inode *inode;
	char name[32];
	uint64_t size;
	int err;

	if (!host_size(s, path, &size))
		return;
	snprintf(name, sizeof(name), "user.k%d", rand() % 8);
	fill(s, n);
	inode = look(s, path);
	err = rand() % 4 ? f2fs_xattr_set(inode, name, s->buffer, n) : f2fs_xattr_remove(inode, name);
	f2fs_inode_close(inode);
	if (err != F2FS_ERR_NO_ATTR && err != F2FS_ERR_NOSPC)
		check(s, err, path);
}

static void do_chown(struct stress *s)
{
	const struct f2fs_stat values = { .uid = s->step % 7, .gid = s->step % 3 };
	struct f2fs_inode *inode = look(s, pick(&s->files));

	check(s, f2fs_inode_set(inode, F2FS_SET_UID | F2FS_SET_GID, &values), "owner");
	f2fs_inode_close(inode);
}

struct action {
	unsigned weight;
	void (*run)(struct stress *s);
};

static const struct action actions[] = {
	{ 8, do_mkdir },   { 36, do_create },  { 15, do_write },   { 8, do_truncate }, { 11, do_remove },
	{ 9, do_rename },  { 4, do_link },     { 3, do_symlink },  { 5, do_xattr },    { 3, do_chown },
	{ 3, do_release }, { 4, do_exchange }, { 2, do_move_dir },
};

static void run_step(struct stress *s)
{
	unsigned at = (unsigned)rand() % 111, i = 0;

	while (at >= actions[i].weight)
		at -= actions[i++].weight;
	if (s->files.count == 0 && actions[i].run != do_mkdir)
		i = 1;
	actions[i].run(s);
}

static void open_volume(struct stress *s, const char *image)
{
	s->options.struct_size = sizeof(s->options);
	if (f2fs_device_open(s->ctx, image, F2FS_OPEN_WRITE, &s->dev) != 0)
		check(s, 1, image);
	s->recorder = NULL;
	s->tally = (struct tally){ 0 };
	if (s->openings++ % 2)
		check(s, f2fs_device_open_recorder(s->dev, &s->recorder), "recorder");
	check(s, f2fs_volume_open(s->ctx, s->recorder ? s->recorder : s->dev, NULL, &s->vol), image);
	check(s, f2fs_volume_configure(s->vol, &s->options), "options");
	if (s->options.discard)
		check(s, f2fs_volume_trim(s->vol, 0, NULL), "trim");
}

static void commit(struct stress *s)
{
	check(s, f2fs_volume_commit(s->vol), "commit");
	if (!s->recorder)
		return;
	tally_add(&s->tally, s->recorder);
	f2fs_device_record_clear(s->recorder);
	check(s, tally_differs(&s->tally, s->vol) != NULL, tally_differs(&s->tally, s->vol));
}

static void close_volume(struct stress *s)
{
	f2fs_volume_close(s->vol);
	f2fs_device_close(s->recorder);
	f2fs_device_close(s->dev);
}

/* LOGS,LOW_SECTIONS,IN_PLACE,DISCARD */
static int take_options(struct stress *s, const char *text)
{
	uint8_t *const to[] = { &s->options.logs, &s->options.low_sections, &s->options.in_place, &s->options.discard };

	for (unsigned i = 0; i < 4; i++) {
		char *end;

		*to[i] = (uint8_t)strtoul(text, &end, 10);
		if (*end != (i < 3 ? ',' : '\0'))
			return -1;
		text = end + 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct stress s = { 0 };
	unsigned steps, every;

	if (argc < 6 || argc > 7 || (argc == 7 && take_options(&s, argv[6]) != 0)) {
		fprintf(stderr, "usage: stress IMAGE DIRECTORY SEED STEPS COMMIT_EVERY [WRITE_OPTIONS]\n");
		return 2;
	}
	s.host = argv[2];
	srand((unsigned)atoi(argv[3]));
	steps = (unsigned)atoi(argv[4]);
	every = (unsigned)atoi(argv[5]);
	s.dirs.path = calloc(MAX_NAMES, MAX_PATH);
	s.files.path = calloc(MAX_NAMES, MAX_PATH);
	s.buffer = calloc(1, BUFFER);
	if (!s.dirs.path || !s.files.path || !s.buffer || f2fs_context_open(NULL, &s.ctx) != 0)
		return 1;
	s.dirs.count = 1;
	open_volume(&s, argv[1]);
	for (s.step = 0; s.step < steps; s.step++) {
		run_step(&s);
		if (!every || s.step % every != every - 1)
			continue;
		commit(&s);
		if (rand() % 2) {
			release_held(&s);
			commit(&s);
			close_volume(&s);
			open_volume(&s, argv[1]);
		}
	}
	/* files held open now are orphans that the next mount deletes */
	commit(&s);
	printf("%u orphans, ", (unsigned)f2fs_orphan_count(s.vol));
	release_held(&s);
	close_volume(&s);
	f2fs_context_close(s.ctx);
	printf("%u names of files, %u directories\n", s.files.count, s.dirs.count);
	free(s.dirs.path);
	free(s.files.path);
	free(s.buffer);
	return 0;
}
