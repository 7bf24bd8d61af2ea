/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Volumes that are as full as users may make them, of odd geometries, written at random while they clean themselves: no
 * change may find no room while users have some, and every read must return the data written.
 *
 * usage: fullness [FIRST-SEED [COUNT [STEPS]]]
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/fresh.h"
#include "common/tally.h"

#define MIB (1u << 20)
#define FILES 3u
#define UNUSED 40u /* blocks that are left to nodes when a volume is filled */

struct file {
	struct f2fs_inode *inode;
	uint32_t blocks;
	uint32_t *now; /* what each block holds, 0: a hole */
};

struct world {
	struct fresh v;
	struct file files[FILES];
	uint64_t seed, random;
	unsigned step;
	uint32_t last, bs;
	bool commits;
	uint8_t *bytes;
	uint32_t most; /* blocks that bytes has room for */
	struct tally tally;
	char name[300];
};

static uint32_t pick(struct world *w, uint32_t below)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (uint32_t)((w->random >> 16) % below);
}

static void need(struct world *w, int err, const char *what)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	if (!err)
		return;
	f2fs_volume_statfs(w->v.vol, &st);
	printf("seed %llu (%s), step %u, %s, %llu of %llu blocks in use: %s\n", (unsigned long long)w->seed, w->name,
	       w->step, what, (unsigned long long)st.valid_blocks, (unsigned long long)st.user_blocks,
	       f2fs_context_error(w->v.ctx)->message);
	exit(1);
}

static uint32_t room(struct world *w)
{
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	f2fs_volume_statfs(w->v.vol, &st);
	return (uint32_t)(st.user_blocks - st.valid_blocks);
}

/* Make a volume of that seed; false: there is none of that geometry. */
static bool make_volume(struct world *w)
{
	static const uint32_t segments[] = { 1, 1, 1, 2, 3, 5, 8 };
	static const uint8_t logs[] = { 6, 6, 4, 2 };
	const bool is_zoned = pick(w, 5) == 0;
	struct f2fs_mkfs_options options = {
		F2FS_SIZED(f2fs_mkfs_options),
		.segs_per_sec = is_zoned ? 1 : segments[pick(w, 7)],
		.secs_per_zone = pick(w, 4) ? 1 : 2,
		.overprovision = pick(w, 3) ? 0 : 2 + pick(w, 20),
		.feature = pick(w, 2) ? F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_INODE_CHECKSUM : 0,
		.block_size = pick(w, 8) ? 4096 : 16384,
	};
	struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
					   .zone_bytes = (uint64_t)(2 + 2 * pick(w, 3)) * MIB, .conventional = 24 };
	struct f2fs_write_options write = {
		F2FS_SIZED(f2fs_write_options),
		.logging = (uint8_t)pick(w, 3), .logs = logs[pick(w, 4)], .discard = (uint8_t)pick(w, 2),
		.low_sections = (uint8_t)pick(w, 12), .commit_when_full = pick(w, 4) != 0
	};
	struct f2fs_gc_options clean = { F2FS_SIZED(f2fs_gc_options),
					 .policy = pick(w, 4),
					 .like_kernel = pick(w, 3) == 0,
					 .target = pick(w, 3) == 0,
					 .free_goal = pick(w, 3) ? 0 : 1 + pick(w, 12),
					 .sections = pick(w, 4) ? 0 : 1 + pick(w, 4),
					 .bytes = pick(w, 5) ? 0 : 4096u * (1 + pick(w, 2000)) };
	const uint64_t size = (uint64_t)(50 + pick(w, pick(w, 3) ? 80 : 300)) * MIB * (options.block_size / 4096) *
			      (options.segs_per_sec > 2 ? 2 : 1);
	struct f2fs_mkfs_device device = { 0 };
	static const uint8_t uuid[16] = { 7 };
	struct f2fs_device *memory;

	if (is_zoned) {
		write.logging %= F2FS_LOGGING_THREADED;
		options.block_size = 4096;
		options.secs_per_zone = 1;
		options.segs_per_sec = (uint32_t)(zones.zone_bytes / (2 * MIB));
		options.zoned = 1;
	}
	options.uuid = uuid;
	options.has_time = 1;
	options.time = 1600000000;
	memset(&w->v, 0, sizeof(w->v));
	if (f2fs_context_open(NULL, &w->v.ctx) != 0)
		exit(1);
	need(w, f2fs_device_open_memory(w->v.ctx, size, &w->v.dev), "device");
	memory = w->v.dev;
	if (is_zoned && f2fs_device_open_zoned(memory, &zones, &w->v.dev) != 0) {
		printf("seed %llu: %s\n", (unsigned long long)w->seed, f2fs_context_error(w->v.ctx)->message);
		f2fs_context_close(w->v.ctx);
		return false;
	}
	if (is_zoned)
		f2fs_device_close(memory);
	device.device = w->v.dev;
	snprintf(w->name, sizeof(w->name),
		 "%u MiB, block %u, %u segments, %u sections, op %g%s, capacity %u, logging %u, logs %u, low %u, "
		 "commits %u; policy %u, kernel %u, target %u, goal %u, sections %u, bytes %u",
		 (unsigned)(size >> 20), (unsigned)options.block_size, (unsigned)options.segs_per_sec,
		 (unsigned)options.secs_per_zone, options.overprovision, is_zoned ? ", zoned" : "",
		 (unsigned)zones.capacity, write.logging, write.logs, write.low_sections, write.commit_when_full,
		 (unsigned)clean.policy, clean.like_kernel, clean.target, (unsigned)clean.free_goal,
		 (unsigned)clean.sections, (unsigned)clean.bytes);
	if (f2fs_mkfs_write(w->v.ctx, &device, 1, &options, NULL) != 0) {
		printf("seed %llu (%s): %s\n", (unsigned long long)w->seed, w->name,
		       f2fs_context_error(w->v.ctx)->message);
		f2fs_device_close(w->v.dev);
		f2fs_context_close(w->v.ctx);
		return false;
	}
	/* a recorder takes one write at a time: not always */
	if (w->seed % 2) {
		memory = w->v.dev;
		need(w, f2fs_device_open_recorder(memory, &w->v.dev), "recorder");
		f2fs_device_close(memory);
	}
	need(w, f2fs_volume_open(w->v.ctx, w->v.dev, NULL, &w->v.vol), "open");
	need(w, f2fs_volume_configure(w->v.vol, &write), "configure");
	need(w, f2fs_volume_set_gc(w->v.vol, &clean), "set cleaning");
	w->commits = write.commit_when_full;
	w->bs = options.block_size;
	return true;
}

/* New blocks and the nodes that they may need. */
static uint32_t cost(uint32_t blocks)
{
	return blocks + blocks / 900 + 8;
}

/* Write blocks from at on, as far as users have room for them. */
static void write_blocks(struct world *w, struct file *f, uint32_t at, uint32_t want)
{
	const uint32_t left = room(w);
	uint32_t n = 0, fresh = 0;

	for (; n < want && at + n < f->blocks && n < w->most; n++) {
		if (!f->now[at + n] && cost(fresh + 1) > left)
			break;
		fresh += !f->now[at + n];
		f->now[at + n] = ++w->last;
		memcpy(w->bytes + (size_t)n * w->bs, &w->last, 4);
	}
	if (n > 0)
		need(w, f2fs_inode_write(f->inode, (uint64_t)at * w->bs, w->bytes, (size_t)n * w->bs),
		     n > 3000 ? "a long write" : "write");
}

static void punch(struct world *w, struct file *f, uint32_t at, uint32_t n)
{
	if (at + n > f->blocks)
		n = f->blocks - at;
	if (room(w) < 8)
		return;
	need(w, f2fs_fallocate(f->inode, F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_KEEP_SIZE, (uint64_t)at * w->bs,
			       (uint64_t)n * w->bs),
	     "punch");
	memset(f->now + at, 0, n * sizeof(*f->now));
}

/* The volume's counters must equal the writes that the device received. */
static void must_be_counted(struct world *w)
{
	const char *differs;

	if (w->seed % 2 == 0)
		return;
	tally_add(&w->tally, w->v.dev);
	f2fs_device_record_clear(w->v.dev);
	differs = tally_differs(&w->tally, w->v.vol);
	if (!differs)
		return;
	printf("seed %llu (%s): step %u: %s are counted wrong\n", (unsigned long long)w->seed, w->name,
	       (unsigned)w->step, differs);
	exit(1);
}

static void step(struct world *w)
{
	struct file *f = &w->files[pick(w, FILES)];
	const uint32_t at = pick(w, f->blocks), dice = pick(w, 1000);

	if (dice < 600)
		write_blocks(w, f, at, 1 + pick(w, 64));
	else if (dice < 700)
		write_blocks(w, f, at, 1);
	else if (dice < 708 && w->commits)
		write_blocks(w, f, at, f->blocks);
	else if (dice < 712 && w->commits)
		write_blocks(w, f, 0, f->blocks);
	else if (dice < 780)
		punch(w, f, at, 1 + pick(w, 64));
	else if (dice < 784)
		punch(w, f, at, 1 + pick(w, f->blocks));
	else if (dice < 824)
		need(w, f2fs_fsync(f->inode, 0), "fsync");
	else if (dice < 880)
		need(w, f2fs_volume_commit(w->v.vol), "commit");
	if (!w->commits && pick(w, 4) == 0)
		need(w, f2fs_volume_commit(w->v.vol), "commit");
}

static void must_match(struct world *w)
{
	struct f2fs_check_result found = { F2FS_SIZED(f2fs_check_result) };

	for (unsigned i = 0; i < FILES; i++) {
		struct file *f = &w->files[i];

		for (uint32_t k = 0; k < f->blocks; k++) {
			uint32_t number = 0;
			size_t done;

			need(w, f2fs_inode_read(f->inode, (uint64_t)k * w->bs, &number, 4, &done), "read");
			if (number == f->now[k])
				continue;
			printf("seed %llu (%s): block %u of file %u holds %u, not %u\n", (unsigned long long)w->seed,
			       w->name, (unsigned)k, i, (unsigned)number, (unsigned)f->now[k]);
			exit(1);
		}
		f2fs_inode_close(f->inode);
		free(f->now);
	}
	need(w, f2fs_volume_commit(w->v.vol), "the last commit");
	need(w, f2fs_check(w->v.ctx, w->v.dev, NULL, &found), "check");
	if (found.found == 0)
		return;
	printf("seed %llu (%s): %llu problems\n", (unsigned long long)w->seed, w->name,
	       (unsigned long long)found.found);
	exit(1);
}

static void run(struct world *w, unsigned steps)
{
	const uint32_t users = room(w);

	w->bytes = calloc(users, w->bs);
	w->most = users;
	for (unsigned i = 0; i < FILES; i++) {
		static const char *const names[FILES] = { "a", "b", "c" };
		struct file *f = &w->files[i];

		f->blocks = i == 0 ? users : users / 3;
		f->now = calloc(f->blocks, sizeof(*f->now));
		f->inode = fresh_make(&w->v, names[i], 0100644);
		if (!w->bytes || !f->now)
			exit(1);
		need(w, f2fs_inode_truncate(f->inode, (uint64_t)f->blocks * w->bs), "truncate");
	}
	for (uint32_t k = 0; k < users && room(w) > UNUSED + 256; k += 256) {
		write_blocks(w, &w->files[pick(w, FILES)], k % (users / 3), 256);
		write_blocks(w, &w->files[0], k, 256);
		if (!w->commits)
			need(w, f2fs_volume_commit(w->v.vol), "commit");
	}
	need(w, f2fs_volume_commit(w->v.vol), "commit");
	must_be_counted(w);
	for (w->step = 0; w->step < steps; w->step++) {
		step(w);
		if (w->step % 64 == 0)
			must_be_counted(w);
	}
	must_match(w);
	must_be_counted(w);
	free(w->bytes);
}

int main(int argc, char **argv)
{
	const uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const uint64_t count = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	const unsigned steps = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 2000;

	for (uint64_t seed = first; seed < first + count; seed++) {
		struct world w = { .seed = seed, .random = seed * 0x9e3779b97f4a7c15u + 1 };

		for (unsigned i = 0; i < 10; i++)
			pick(&w, 2);
		if (!make_volume(&w))
			continue;
		run(&w, steps);
		fresh_close(&w.v);
		printf("seed %llu: %s\n", (unsigned long long)seed, w.name);
		fflush(stdout);
	}
	return 0;
}
