/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measure durable small writes: writes per second into a device in memory, for each pattern, and the writes and flushes
 * of one of them, counted below the library. fsync_rate [ROUNDS]
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK 4096u

struct bench {
	struct f2fs_context *ctx;
	struct f2fs_device *recorder;
	struct f2fs_volume *vol;
	struct f2fs_inode *file;
	unsigned round;
	uint8_t bytes[BLOCK];
};

static void check(struct bench *b, int err)
{
	if (!err)
		return;
	fprintf(stderr, "%s\n", f2fs_context_error(b->ctx)->message);
	exit(1);
}

static void append(struct bench *b)
{
	check(b, f2fs_inode_write(b->file, (uint64_t)b->round * BLOCK, b->bytes, BLOCK));
	check(b, f2fs_fsync(b->file, F2FS_FSYNC_DATA));
}

static void append_far(struct bench *b)
{
	check(b, f2fs_inode_write(b->file, (uint64_t)(b->round + 5000) * BLOCK, b->bytes, BLOCK));
	check(b, f2fs_fsync(b->file, F2FS_FSYNC_DATA));
}

static void overwrite(struct bench *b)
{
	check(b, f2fs_inode_write(b->file, (uint64_t)(b->round * 37 % 900) * BLOCK, b->bytes, BLOCK));
	check(b, f2fs_fsync(b->file, F2FS_FSYNC_DATA));
}

static void write_small(struct bench *b)
{
	check(b, f2fs_inode_write(b->file, b->round % 3000, b->bytes, 100));
	check(b, f2fs_fsync(b->file, F2FS_FSYNC_DATA));
}

static void write_pieces(struct bench *b)
{
	struct f2fs_write_part parts[8];

	for (unsigned i = 0; i < 8; i++) {
		parts[i].offset = (uint64_t)((b->round * 37 + i * 113) % 900) * BLOCK;
		parts[i].data = b->bytes;
		parts[i].length = BLOCK;
	}
	check(b, f2fs_inode_write_atomic(b->file, parts, 8));
}

static void append_and_commit(struct bench *b)
{
	check(b, f2fs_inode_write(b->file, (uint64_t)b->round * BLOCK, b->bytes, BLOCK));
	check(b, f2fs_volume_commit(b->vol));
}

static const struct {
	const char *name;
	void (*run)(struct bench *b);
} patterns[] = {
	{ "append 4 KiB, fsync", append },
	{ "append 4 KiB far from the inode, fsync", append_far },
	{ "overwrite 4 KiB, fsync", overwrite },
	{ "100 bytes inside the inode, fsync", write_small },
	{ "8 pieces of 4 KiB, atomically", write_pieces },
	{ "append 4 KiB, commit", append_and_commit },
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Sum up and clear the recorded writes. */
static void count(struct bench *b, uint64_t *written, uint64_t *flushes)
{
	struct f2fs_record r;

	for (uint64_t i = 0; i < f2fs_device_record_count(b->recorder); i++) {
		check(b, f2fs_device_record_at(b->recorder, i, &r));
		*written += r.kind == F2FS_RECORD_WRITE ? r.length : 0;
		*flushes += r.kind == F2FS_RECORD_FLUSH;
	}
	f2fs_device_record_clear(b->recorder);
}

static void run_pattern(struct bench *b, unsigned pattern, unsigned rounds)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	uint64_t written = 0, flushes = 0;
	struct f2fs_inode *root;
	double start, seconds = 0;

	check(b, f2fs_lookup(b->vol, "/", 0, &root));
	check(b, f2fs_create(root, &"abcdef"[pattern], 1, &spec, &b->file));
	f2fs_inode_close(root);
	b->round = 0;
	if (patterns[pattern].run != write_small)
		append_far(b);
	check(b, f2fs_volume_commit(b->vol));
	f2fs_device_record_clear(b->recorder);
	for (b->round = 1; b->round <= rounds; b->round++) {
		start = now();
		patterns[pattern].run(b);
		seconds += now() - start;
		count(b, &written, &flushes);
	}
	f2fs_inode_close(b->file);
	printf("| %s | %.0f | %.2f | %.2f |\n", patterns[pattern].name, rounds / seconds,
	       (double)written / rounds / BLOCK, (double)flushes / rounds);
}

int main(int argc, char **argv)
{
	const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 2000;
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench" };
	struct f2fs_mkfs_device device = { 0 };
	static struct bench b;

	if (rounds == 0 || f2fs_context_open(NULL, &b.ctx) != 0)
		return 2;
	check(&b, f2fs_device_open_memory(b.ctx, (uint64_t)1 << 30, &device.device));
	check(&b, f2fs_mkfs_write(b.ctx, &device, 1, &options, NULL));
	check(&b, f2fs_device_open_recorder(device.device, &b.recorder));
	check(&b, f2fs_volume_open(b.ctx, b.recorder, NULL, &b.vol));
	printf("| pattern | per second | blocks written each | flushes each |\n|---|---|---|---|\n");
	for (unsigned i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		run_pattern(&b, i, rounds);
	f2fs_volume_close(b.vol);
	f2fs_device_close(b.recorder);
	f2fs_device_close(device.device);
	f2fs_context_close(b.ctx);
	return 0;
}
