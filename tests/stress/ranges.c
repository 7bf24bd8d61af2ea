/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files under every operation on their contents, held against a model in memory: written, cut, punched, zeroed,
 * collapsed, inserted into, preallocated, with commits, rollbacks and reopening in between. At the end the model is
 * written to a directory of the host, for others to compare. Usage: ranges IMAGE DIRECTORY SEED STEPS.
 */
#define _GNU_SOURCE
#include <f2fskit/f2fskit.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILES 4u
#define MAX_SIZE (6u << 20)
#define BLOCK 4096u

/* The expected contents of a file; bytes past size are zero. */
struct model {
	uint8_t *bytes, *saved; /* now, and at the last commit */
	uint64_t size, saved_size;
};

struct bench {
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	const char *image;
	struct model models[FILES];
	struct f2fs_inode *inodes[FILES];
	uint8_t *buffer;
	unsigned step;
};

static void check(const struct bench *b, int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "step %u: %s: %s\n", b->step, what, f2fs_context_error(b->ctx)->message);
	exit(1);
}

static void wrong(const struct bench *b, unsigned file, uint64_t at, const char *what)
{
	fprintf(stderr, "step %u: file %u, byte %llu: %s\n", b->step, file, (unsigned long long)at, what);
	exit(1);
}

static uint64_t below(uint64_t n)
{
	return n ? ((uint64_t)rand() << 16 ^ (uint64_t)rand()) % n : 0;
}

static void compare(struct bench *b, unsigned file, uint64_t from, uint64_t length)
{
	const struct model *m = &b->models[file];
	struct f2fs_stat stat;
	size_t done;

	check(b, f2fs_inode_stat(b->inodes[file], &stat), "stat");
	if (stat.size != m->size)
		wrong(b, file, stat.size, "the size differs");
	check(b, f2fs_inode_read(b->inodes[file], from, b->buffer, (size_t)length, &done), "read");
	if (done != (from >= m->size ? 0 : length < m->size - from ? length : m->size - from))
		wrong(b, file, from + done, "the read ended");
	for (size_t i = 0; i < done; i++)
		if (b->buffer[i] != m->bytes[from + i])
			wrong(b, file, from + i, "the contents differ");
}

static void compare_all(struct bench *b)
{
	for (unsigned i = 0; i < FILES; i++)
		compare(b, i, 0, MAX_SIZE);
}

static void set_size(struct model *m, uint64_t size)
{
	if (size < m->size)
		memset(m->bytes + size, 0, (size_t)(m->size - size));
	m->size = size;
}

static void do_write(struct bench *b, unsigned file)
{
	struct model *m = &b->models[file];
	uint64_t length = 1 + below(rand() % 3 ? 300 : rand() % 2 ? 30000 : 600000);
	uint64_t at = rand() % 3 ? below(m->size + 1) : below(MAX_SIZE);

	if (at + length > MAX_SIZE)
		length = MAX_SIZE - at;
	for (uint64_t i = 0; i < length; i++)
		m->bytes[at + i] = (uint8_t)(rand() >> 7);
	if (at + length > m->size)
		m->size = at + length;
	check(b, f2fs_inode_write(b->inodes[file], at, m->bytes + at, (size_t)length), "write");
}

static void do_truncate(struct bench *b, unsigned file)
{
	struct model *m = &b->models[file];
	uint64_t size = rand() % 8 == 0 ? 0 : rand() % 3 ? below(m->size + 1) : below(MAX_SIZE + 1);

	set_size(m, size);
	check(b, f2fs_inode_truncate(b->inodes[file], size), "truncate");
}

/* A range that often ends at the edges of blocks. */
static void pick_range(uint64_t limit, uint64_t *at, uint64_t *length)
{
	*at = below(limit);
	*length = 1 + below(rand() % 2 ? 9000 : limit - *at);
	if (rand() % 3 == 0)
		*at &= ~(uint64_t)(BLOCK - 1);
	if (*at + *length > limit)
		*length = limit - *at;
}

static void do_punch(struct bench *b, unsigned file)
{
	struct model *m = &b->models[file];
	uint64_t at, length;

	pick_range(MAX_SIZE, &at, &length);
	if (m->size && rand() % 4)
		at %= m->size;
	memset(m->bytes + at, 0, (size_t)length);
	check(b, f2fs_fallocate(b->inodes[file], F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE, at, length),
	      "punch");
}

static void do_zero(struct bench *b, unsigned file)
{
	const unsigned keep = rand() % 2 ? F2FS_FALLOCATE_KEEP_SIZE : 0;
	struct model *m = &b->models[file];
	uint64_t at, length;

	pick_range(MAX_SIZE, &at, &length);
	memset(m->bytes + at, 0, (size_t)length);
	if (!keep && at + length > m->size)
		m->size = at + length;
	check(b, f2fs_fallocate(b->inodes[file], F2FS_FALLOCATE_ZERO_RANGE | keep, at, length), "zero");
}

static void do_reserve(struct bench *b, unsigned file)
{
	const unsigned keep = rand() % 2 ? F2FS_FALLOCATE_KEEP_SIZE : 0;
	struct model *m = &b->models[file];
	uint64_t at, length;

	pick_range(MAX_SIZE, &at, &length);
	if (!keep && at + length > m->size)
		m->size = at + length;
	check(b, f2fs_fallocate(b->inodes[file], keep, at, length), "reserve");
}

static void do_collapse(struct bench *b, unsigned file)
{
	struct model *m = &b->models[file];
	uint64_t blocks = m->size / BLOCK, at, length;

	if (blocks < 3)
		return;
	at = below(blocks - 1) * BLOCK;
	length = BLOCK * (1 + below(rand() % 2 ? 5 : blocks));
	if (at + length >= m->size) {
		if (f2fs_fallocate(b->inodes[file], F2FS_FALLOCATE_COLLAPSE_RANGE, at, length) != F2FS_ERR_INVALID)
			wrong(b, file, at, "a range to the end was collapsed");
		return;
	}
	memmove(m->bytes + at, m->bytes + at + length, (size_t)(m->size - at - length));
	set_size(m, m->size - length);
	check(b, f2fs_fallocate(b->inodes[file], F2FS_FALLOCATE_COLLAPSE_RANGE, at, length), "collapse");
}

static void do_insert(struct bench *b, unsigned file)
{
	struct model *m = &b->models[file];
	uint64_t at = below(m->size / BLOCK + 1) * BLOCK, length = BLOCK * (1 + below(rand() % 2 ? 5 : 500));

	if (at >= m->size || m->size + length > MAX_SIZE)
		return;
	memmove(m->bytes + at + length, m->bytes + at, (size_t)(m->size - at));
	memset(m->bytes + at, 0, (size_t)length);
	m->size += length;
	check(b, f2fs_fallocate(b->inodes[file], F2FS_FALLOCATE_INSERT_RANGE, at, length), "insert");
}

static void open_files(struct bench *b)
{
	char path[16];

	for (unsigned i = 0; i < FILES; i++) {
		snprintf(path, sizeof(path), "/file-%u", i);
		check(b, f2fs_lookup(b->vol, path, 0, &b->inodes[i]), path);
	}
}

static void close_files(struct bench *b)
{
	for (unsigned i = 0; i < FILES; i++)
		f2fs_inode_close(b->inodes[i]);
}

static void open_volume(struct bench *b)
{
	check(b, f2fs_device_open(b->ctx, b->image, F2FS_OPEN_WRITE, &b->dev), b->image);
	check(b, f2fs_volume_open(b->ctx, b->dev, NULL, &b->vol), b->image);
}

static void close_volume(struct bench *b)
{
	f2fs_volume_close(b->vol);
	f2fs_device_close(b->dev);
}

static void do_commit(struct bench *b, unsigned file)
{
	(void)file;
	check(b, f2fs_volume_commit(b->vol), "commit");
	for (unsigned i = 0; i < FILES; i++) {
		memcpy(b->models[i].saved, b->models[i].bytes, MAX_SIZE);
		b->models[i].saved_size = b->models[i].size;
	}
	if (rand() % 2) {
		close_files(b);
		close_volume(b);
		open_volume(b);
		open_files(b);
	}
	compare_all(b);
}

static void do_rollback(struct bench *b, unsigned file)
{
	(void)file;
	f2fs_volume_rollback(b->vol);
	for (unsigned i = 0; i < FILES; i++) {
		memcpy(b->models[i].bytes, b->models[i].saved, MAX_SIZE);
		b->models[i].size = b->models[i].saved_size;
	}
	compare_all(b);
}

static const struct {
	unsigned weight;
	void (*run)(struct bench *b, unsigned file);
} actions[] = {
	{ 30, do_write },    { 8, do_truncate }, { 12, do_punch }, { 12, do_zero },    { 8, do_reserve },
	{ 12, do_collapse }, { 12, do_insert },	 { 5, do_commit }, { 1, do_rollback },
};

static void run_step(struct bench *b)
{
	unsigned at = (unsigned)rand() % 100, i = 0, file = (unsigned)rand() % FILES;

	while (at >= actions[i].weight)
		at -= actions[i++].weight;
	actions[i].run(b, file);
	compare(b, file, below(b->models[file].size + 1), 1 + below(20000));
}

static void write_model(const struct bench *b, const char *folder)
{
	char path[4096];

	for (unsigned i = 0; i < FILES; i++) {
		int fd;

		snprintf(path, sizeof(path), "%s/file-%u", folder, i);
		fd = open(path, O_CREAT | O_TRUNC | O_WRONLY, 0644);
		if (fd < 0 || write(fd, b->models[i].bytes, (size_t)b->models[i].size) != (ssize_t)b->models[i].size ||
		    close(fd)) {
			perror(path);
			exit(1);
		}
	}
}

static void make_files(struct bench *b)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_inode *root;
	char name[16];

	check(b, f2fs_lookup(b->vol, "/", 0, &root), "/");
	for (unsigned i = 0; i < FILES; i++) {
		struct model *m = &b->models[i];

		m->bytes = calloc(1, MAX_SIZE);
		m->saved = calloc(1, MAX_SIZE);
		if (!m->bytes || !m->saved)
			exit(1);
		snprintf(name, sizeof(name), "file-%u", i);
		check(b, f2fs_create(root, name, strlen(name), &spec, NULL), name);
	}
	f2fs_inode_close(root);
	open_files(b);
	do_commit(b, 0);
}

int main(int argc, char **argv)
{
	struct bench b = { 0 };
	unsigned steps;

	if (argc != 5) {
		fprintf(stderr, "usage: ranges IMAGE DIRECTORY SEED STEPS\n");
		return 2;
	}
	b.image = argv[1];
	srand((unsigned)atoi(argv[3]));
	steps = (unsigned)atoi(argv[4]);
	b.buffer = malloc(MAX_SIZE);
	if (!b.buffer || f2fs_context_open(NULL, &b.ctx) != 0)
		return 1;
	open_volume(&b);
	make_files(&b);
	for (b.step = 1; b.step <= steps; b.step++)
		run_step(&b);
	do_commit(&b, 0);
	write_model(&b, argv[2]);
	close_files(&b);
	close_volume(&b);
	f2fs_context_close(b.ctx);
	for (unsigned i = 0; i < FILES; i++) {
		free(b.models[i].bytes);
		free(b.models[i].saved);
	}
	free(b.buffer);
	return 0;
}
