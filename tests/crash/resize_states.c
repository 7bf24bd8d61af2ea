/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep some states that a power cut leaves of each resize of crash_resize, as sparse files for others to judge:
 *
 *	resize_states FOLDER CASE EVERY
 *
 * Every EVERYth state of that case, and four times as many of those in which the superblocks differ. Prints a line for
 * each: its file, the target in bytes, and "prefix" where the disk kept to the order and tore nothing, else another
 * word. The first line is the volume as it was before. Without such a case it prints nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <f2fskit/f2fskit.h>

#include "crash/crash.h"
#include "crash/resize_cases.h"

#define PIECE ((size_t)1 << 20)
#define SUPERBLOCK ((uint64_t)1024)
#define COPY ((uint64_t)4096)
enum { SUPERBLOCK_BYTES = 3072, MORE_OFTEN = 4 };

struct keeper {
	struct f2fs_context *ctx;
	const struct resize_case *test;
	const char *folder;
	unsigned every, number;
	unsigned seen[2]; /* states, by whether the superblocks are the same */
	uint8_t piece[PIECE];
};

static int copy_data(struct keeper *k, struct f2fs_device *from, struct f2fs_device *to, uint64_t at, uint64_t length)
{
	int err = 0;

	for (size_t n; length > 0 && !err; at += n, length -= n) {
		n = length < PIECE ? (size_t)length : PIECE;
		err = f2fs_device_read(from, at, k->piece, n);
		if (!err)
			err = f2fs_device_write(to, at, k->piece, n);
	}
	return err;
}

static int save(struct keeper *k, struct f2fs_device *dev, const char *kind)
{
	const uint64_t size = f2fs_device_info(dev)->size;
	struct f2fs_device *file;
	char path[1000];
	uint64_t length;
	int is_hole, err;

	snprintf(path, sizeof(path), "%s/%u.img", k->folder, k->number++);
	err = f2fs_device_create(k->ctx, path, size, 0, &file);
	if (err)
		return err;
	for (uint64_t at = 0; at < size && !err; at += length) {
		err = f2fs_device_extent(dev, at, &length, &is_hole);
		if (!err && !is_hole)
			err = copy_data(k, dev, file, at, length);
	}
	f2fs_device_close(file);
	if (!err)
		printf("%s %llu %s\n", path, (unsigned long long)k->test->target, kind);
	return err;
}

static int keep(void *user, const struct crash_state *state)
{
	uint8_t copies[2][SUPERBLOCK_BYTES];
	struct keeper *k = user;
	int err = 0, same;

	for (unsigned i = 0; i < 2 && !err; i++)
		err = f2fs_device_read(state->dev, i * COPY + SUPERBLOCK, copies[i], SUPERBLOCK_BYTES);
	if (err)
		return err;
	same = memcmp(copies[0], copies[1], SUPERBLOCK_BYTES) == 0;
	if (k->seen[same]++ % (same ? k->every : (k->every + MORE_OFTEN - 1) / MORE_OFTEN))
		return 0;
	return save(k, state->dev, state->kind);
}

int main(int argc, char **argv)
{
	const struct crash_options options = { .subsets = 2, .scattered = 1, .seed = 11 };
	static struct keeper k;
	struct f2fs_device *before, *after, *recorder;
	struct f2fs_resize_options resize = { F2FS_SIZED(f2fs_resize_options) };
	unsigned number;

	resize_require(argc == 4, "usage: resize_states FOLDER CASE EVERY");
	k.folder = argv[1];
	number = (unsigned)atoi(argv[2]);
	k.every = (unsigned)atoi(argv[3]);
	resize_require(k.every > 0, "EVERY is a number from 1 on");
	if (number >= RESIZE_CASES)
		return 0;
	k.test = &resize_cases[number];
	resize.size = k.test->target;
	resize_require(f2fs_context_open(NULL, &k.ctx) == 0, "no context");
	before = resize_make(k.ctx, k.test);
	resize_require(save(&k, before, "before") == 0, "cannot save what there was");
	resize_require(f2fs_device_fork_memory(before, &after) == 0, "cannot copy");
	resize_require(f2fs_device_open_recorder(after, &recorder) == 0, "cannot record");
	resize_require(f2fs_resize(k.ctx, recorder, NULL, &resize, NULL) == 0, "cannot resize");
	resize_require(crash_each(before, recorder, &options, keep, &k, NULL) == 0, "cannot keep a state");
	f2fs_device_close(recorder);
	f2fs_device_close(after);
	f2fs_device_close(before);
	f2fs_context_close(k.ctx);
	return 0;
}
