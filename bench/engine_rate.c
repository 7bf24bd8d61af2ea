/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The write engine under random 4 KiB overwrites of one file, into a device in memory, with a commit after every 64
 * MiB: engine_rate [FILE-MIB [BLOCKS [LOW-SECTIONS [AT-ONCE]]]]. Prints block writes per second; commits are in the
 * time. AT-ONCE 1: no write waits for the commit.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BLOCK 4096u
#define COMMIT_BLOCKS 16384u /* 64 MiB */

static struct f2fs_context *ctx;

static void check(int err, const char *what)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, f2fs_context_error(ctx)->message);
	exit(1);
}

static double now(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* A volume twice the size of the file, and the file. */
static struct f2fs_inode *prepare(uint64_t mib, struct f2fs_device **dev, struct f2fs_volume **vol)
{
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options), .label = "bench" };
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = 0100644 };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_inode *root, *file;
	char *chunk = calloc(1, 1 << 20);

	if (!chunk)
		exit(1);
	check(f2fs_device_open_memory(ctx, (mib * 2 + 256) << 20, dev), "device");
	device.device = *dev;
	check(f2fs_mkfs_write(ctx, &device, 1, &options, NULL), "mkfs");
	check(f2fs_volume_open(ctx, *dev, NULL, vol), "open");
	check(f2fs_lookup(*vol, "/", 0, &root), "root");
	check(f2fs_create(root, "file", 4, &spec, &file), "create");
	f2fs_inode_close(root);
	for (uint64_t i = 0; i < mib; i++)
		check(f2fs_inode_write(file, i << 20, chunk, 1 << 20), "write");
	check(f2fs_volume_commit(*vol), "commit");
	free(chunk);
	return file;
}

static void overwrite(struct f2fs_volume *vol, struct f2fs_inode *file, uint64_t mib, uint64_t blocks)
{
	uint64_t state = 88172645463325252u;
	uint8_t data[BLOCK];

	memset(data, 7, sizeof(data));
	for (uint64_t i = 0; i < blocks; i++) {
		memcpy(data, &i, sizeof(i));
		check(f2fs_inode_write(file, next_random(&state) % (mib << 8) * BLOCK, data, BLOCK), "write");
		if (i % COMMIT_BLOCKS == COMMIT_BLOCKS - 1)
			check(f2fs_volume_commit(vol), "commit");
	}
	check(f2fs_volume_commit(vol), "commit");
}

int main(int argc, char **argv)
{
	const uint64_t mib = argc > 1 ? (uint64_t)atoi(argv[1]) : 512,
		       blocks = argc > 2 ? (uint64_t)atoi(argv[2]) : 500000;
	const struct f2fs_write_options options = { F2FS_SIZED(f2fs_write_options),
						    .low_sections = argc > 3 ? (uint8_t)atoi(argv[3]) : 0,
						     .at_once = argc > 4 ? (uint8_t)atoi(argv[4]) : 0 };
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	struct f2fs_inode *file;
	double wall, cpu;

	if (f2fs_context_open(NULL, &ctx) != 0)
		return 1;
	file = prepare(mib, &dev, &vol);
	check(f2fs_volume_configure(vol, &options), "options");
	/* first fill the volume once, so that getting memory from the system is not measured */
	overwrite(vol, file, mib, (mib * 2 + 256) << 8);
	wall = now(CLOCK_MONOTONIC);
	cpu = now(CLOCK_PROCESS_CPUTIME_ID);
	overwrite(vol, file, mib, blocks);
	wall = now(CLOCK_MONOTONIC) - wall;
	cpu = now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	printf("%llu block writes, %llu commits: %.3f s, %.0f writes/s; %.3f s of processor, %.0f writes/s\n",
	       (unsigned long long)blocks, (unsigned long long)(blocks / COMMIT_BLOCKS + 1), wall,
	       (double)blocks / wall, cpu, (double)blocks / cpu);
	f2fs_inode_close(file);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	return 0;
}
