/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Cleaning on a device in memory beside a raw copy: clean_rate [FILE-MIB [PERCENT...]]. A file is overwritten at random
 * until PERCENT (50) of its blocks have moved, so that its old segments are partly used; then every section that is
 * worth it is cleaned. The raw copy reads the blocks in use of the segments that are not full, each run of them by one
 * read, and writes them a segment at a time to another device: what cleaning has to do at least. All memory of both
 * devices was written before, as memory that is written for the first time costs more than all else. Commits are in the
 * time of cleaning. Prints both rates, processor time.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK 4096u
#define SEGMENT (512u * BLOCK)

static struct f2fs_context *ctx;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(ctx)->message);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Write a device once, so that its memory is there. */
static void touch(struct f2fs_device *dev, uint64_t bytes)
{
	uint8_t *buffer = malloc(SEGMENT);

	if (!buffer)
		exit(1);
	memset(buffer, 1, SEGMENT);
	for (uint64_t at = 0; at + SEGMENT <= bytes; at += SEGMENT)
		check(f2fs_device_write(dev, at, buffer, SEGMENT), "touch");
	free(buffer);
}

/* A file in a volume three times its size, some of its blocks written again. */
static void age(uint64_t mib, unsigned percent, struct f2fs_device **dev, struct f2fs_volume **vol)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench", .no_discard = 1 };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_inode *root, *file;
	uint64_t state = 88172645463325252u;
	uint8_t *chunk = malloc(1 << 20);

	if (!chunk)
		exit(1);
	memset(chunk, 0x5a, 1 << 20);
	check(f2fs_device_open_memory(ctx, (mib * 3 + 256) << 20, dev), "device");
	touch(*dev, (mib * 3 + 256) << 20);
	device.device = *dev;
	check(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), "mkfs");
	check(f2fs_volume_open(ctx, *dev, NULL, vol), "open");
	check(f2fs_lookup(*vol, "/", 0, &root), "root");
	check(f2fs_create(root, "file", 4, &spec, &file), "create");
	f2fs_inode_close(root);
	for (uint64_t i = 0; i < mib; i++)
		check(f2fs_inode_write(file, i << 20, chunk, 1 << 20), "write");
	check(f2fs_volume_commit(*vol), "commit");
	for (uint64_t i = 0; i < mib * 256 * percent / 100; i++)
		check(f2fs_inode_write(file, next_random(&state) % (mib * 256) * BLOCK, chunk, BLOCK), "overwrite");
	f2fs_inode_close(file);
	check(f2fs_volume_commit(*vol), "commit");
	free(chunk);
}

/* The blocks to be copied, by runs. */
struct runs {
	struct {
		uint64_t at;
		uint32_t count;
	} *list;
	size_t count;
	uint64_t blocks;
};

/* Find the blocks in use in segments of data that are not full. */
static void find_runs(struct f2fs_volume *vol, struct runs *runs)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);

	runs->list = calloc((size_t)geo->segment_count_main * 256, sizeof(*runs->list));
	if (!runs->list)
		exit(1);
	for (uint32_t i = 0; i < geo->segment_count_main; i++) {
		struct f2fs_segment_info entry;
		uint32_t end;

		check(f2fs_sit_lookup(vol, i, &entry), "SIT");
		if (entry.valid_blocks == 0 || entry.valid_blocks == 512 || entry.type >= F2FS_HOT_NODE)
			continue;
		for (uint32_t at = 0; at < 512; at = end) {
			const uint64_t start = geo->main_blkaddr + (uint64_t)i * 512 + at;

			for (end = at; end < 512 && entry.valid_map[end / 8] & 0x80u >> end % 8; end++)
				;
			if (end == at) {
				end++;
				continue;
			}
			runs->list[runs->count].at = start * BLOCK;
			runs->list[runs->count++].count = end - at;
			runs->blocks += end - at;
		}
	}
}

static double copy_raw(struct f2fs_device *dev, const struct runs *runs)
{
	const uint64_t bytes = runs->blocks * BLOCK + SEGMENT;
	struct f2fs_device *to;
	uint8_t *buffer = malloc(SEGMENT);
	uint64_t at = 0;
	size_t filled = 0;
	double start;

	if (!buffer)
		exit(1);
	check(f2fs_device_open_memory(ctx, bytes + SEGMENT, &to), "device");
	touch(to, bytes + SEGMENT);
	start = now();
	for (size_t i = 0; i < runs->count; i++) {
		uint64_t from = runs->list[i].at, left = (uint64_t)runs->list[i].count * BLOCK;

		while (left > 0) {
			const size_t n = left < SEGMENT - filled ? (size_t)left : SEGMENT - filled;

			check(f2fs_device_read(dev, from, buffer + filled, n), "read");
			from += n;
			left -= n;
			filled += n;
			if (filled < SEGMENT)
				continue;
			check(f2fs_device_write(to, at, buffer, SEGMENT), "write");
			at += SEGMENT;
			filled = 0;
		}
	}
	check(f2fs_device_write(to, at, buffer, filled), "write");
	start = now() - start;
	f2fs_device_close(to);
	free(buffer);
	return start;
}

static void measure(uint64_t mib, unsigned percent)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .used_limit = 99 };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	struct runs runs = { 0 };
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	double cleaning, raw, start;
	uint64_t moved;

	age(mib, percent, &dev, &vol);
	find_runs(vol, &runs);
	raw = copy_raw(dev, &runs);
	start = now();
	check(f2fs_gc(vol, &options, &result), "clean");
	cleaning = now() - start;
	moved = result.data_blocks + result.node_blocks;
	raw *= (double)moved / (double)runs.blocks;
	free(runs.list);
	f2fs_volume_close(vol);
	printf("| %u %% | %llu | %u | %u | %.0f | %.0f | %.0f %% |\n", percent, (unsigned long long)moved,
	       (unsigned)result.sections, (unsigned)result.commits, (double)moved / 256 / cleaning,
	       (double)moved / 256 / raw, 100 * raw / cleaning);
	fflush(stdout);
	f2fs_device_close(dev);
}

int main(int argc, char **argv)
{
	const uint64_t mib = argc > 1 ? strtoull(argv[1], NULL, 0) : 512;

	check(f2fs_context_open(NULL, &ctx), "context");
	printf("| rewritten | blocks moved | sections | commits | MiB/s | raw copy MiB/s | share |\n"
	       "|---|---|---|---|---|---|---|\n");
	if (argc <= 2)
		measure(mib, 50);
	for (int i = 2; i < argc; i++)
		measure(mib, (unsigned)strtoul(argv[i], NULL, 0));
	f2fs_context_close(ctx);
	return 0;
}
