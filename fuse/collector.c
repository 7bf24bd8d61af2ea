/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose when to collect garbage, and remember the victims.
 */

#include <stdlib.h>
#include <string.h>

#include "fuse/collector.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"

enum { LIMIT_INVALID = 40, LIMIT_FREE = 40 /* percent, of the kernel */ };
enum { URGENT_NS = 500000000, SIT_ENTRY = 74, SIT_BATCH = 512 };
#define SECOND_NS INT64_C(1000000000)

static int64_t seconds(unsigned n)
{
	return (int64_t)n * SECOND_NS;
}

void collector_init(struct mount *m)
{
	m->gc = (struct mount_gc_state){ .has_power = 1, .screen_is_on = 1 };
	m->gc.wait_ns = seconds(m->options.gc_min_sleep);
	m->gc.next_ns = mount_clock() + m->gc.wait_ns;
}

int collector_is_allowed(const struct mount *m)
{
	return m->gc.has_power || m->gc.screen_is_on;
}

int collector_is_urgent(const struct mount *m)
{
	return m->gc.has_power && !m->gc.screen_is_on;
}

void collector_wake(struct mount *m)
{
	const int64_t soon = mount_clock() + (collector_is_urgent(m) ? 0 : seconds(m->options.gc_min_sleep));

	m->gc_is_done = 0;
	m->gc.wait_ns = seconds(m->options.gc_min_sleep);
	if (m->gc.next_ns > soon)
		m->gc.next_ns = soon;
}

/* Is there much to gain, and need for it? */
static int has_enough_invalid(struct mount *m)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(m->vol);
	const uint64_t main_blocks = (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint64_t invalid, free_blocks, spare;

	f2fs_volume_statfs(m->vol, &st);
	invalid = st.user_blocks > st.valid_blocks ? st.user_blocks - st.valid_blocks : 0;
	spare = main_blocks > st.user_blocks ? main_blocks - st.user_blocks : 0;
	free_blocks = (uint64_t)st.free_segments * F2FS_SEGMENT_BLOCKS;
	free_blocks = free_blocks > spare ? free_blocks - spare : 0;
	return invalid > st.user_blocks * LIMIT_INVALID / 100 && free_blocks < invalid * LIMIT_FREE / 100;
}

/* ---- victims ---- */

/* Blocks in use of each section, as the last checkpoint has them; NULL when they cannot be told. */
static uint32_t *count_blocks(struct mount *m)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(m->vol);
	uint32_t *blocks = calloc(geo->section_count ? geo->section_count : 1, sizeof(*blocks));
	uint8_t *entries = malloc((size_t)SIT_BATCH * SIT_ENTRY);
	int err = blocks && entries ? 0 : F2FS_ERR_NOMEM;

	for (uint32_t at = 0; !err && at < geo->segment_count_main; at += SIT_BATCH) {
		const uint32_t left = geo->segment_count_main - at, n = left < SIT_BATCH ? left : SIT_BATCH;

		err = f2fs_sit_read(m->vol, at, n, entries);
		for (uint32_t i = 0; !err && i < n; i++) {
			const uint8_t *entry = entries + (size_t)i * SIT_ENTRY;

			if ((at + i) / geo->segs_per_sec < geo->section_count)
				blocks[(at + i) / geo->segs_per_sec] += (entry[0] | (uint32_t)entry[1] << 8) & 0x3ff;
		}
	}
	free(entries);
	if (!err)
		return blocks;
	free(blocks);
	return NULL;
}

/* Remember the sections that had blocks before, and have none now. */
static void note_victims(struct mount *m, const uint32_t *before, const uint32_t *after)
{
	const uint32_t sections = f2fs_volume_geometry(m->vol)->section_count;

	for (uint32_t i = 0; before && after && i < sections; i++)
		if (before[i] > 0 && after[i] == 0)
			m->gc.victims[m->gc.victim_count++ % MOUNT_VICTIMS] = (struct mount_victim){ i, before[i] };
}

int collector_empty(struct mount *m, unsigned policy, uint32_t sections, uint32_t *emptied)
{
	const struct f2fs_gc_options options = { F2FS_SIZED(f2fs_gc_options), .policy = policy, .sections = sections };
	struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
	int err = mount_checkpoint(m); /* waiting changes would have to be moved, too */
	uint32_t *before, *after;

	*emptied = 0;
	if (err)
		return err;
	before = count_blocks(m);
	err = f2fs_gc(m->vol, &options, &result);
	after = result.sections > 0 ? count_blocks(m) : NULL;
	note_victims(m, before, after);
	free(before);
	free(after);
	m->gc.runs++;
	m->gc.sections += result.sections;
	m->gc.moved_data += result.data_blocks;
	m->gc.moved_nodes += result.node_blocks;
	*emptied = result.sections;
	return err;
}

/* ---- time ---- */

static void sleep_longer(struct mount *m)
{
	const int64_t most = seconds(m->options.gc_max_sleep);

	m->gc.wait_ns += seconds(m->options.gc_min_sleep);
	m->gc.wait_ns = m->gc.wait_ns > most ? most : m->gc.wait_ns;
}

static void sleep_less(struct mount *m)
{
	const int64_t least = seconds(m->options.gc_min_sleep);

	m->gc.wait_ns -= least;
	m->gc.wait_ns = m->gc.wait_ns < least ? least : m->gc.wait_ns;
}

static void collect(struct mount *m)
{
	const unsigned policy = m->options.gc == MOUNT_GC_SYNC ? F2FS_GC_GREEDY : F2FS_GC_COST_BENEFIT;
	uint32_t emptied;
	int err;

	if (has_enough_invalid(m))
		sleep_less(m);
	else
		sleep_longer(m);
	err = collector_empty(m, policy, 1, &emptied);
	mount_errno(m, err); /* it stops writing when it has to */
	if (err || emptied == 0) {
		m->gc.wait_ns = seconds(m->options.gc_no_gc_sleep);
		m->gc_is_done = 1; /* until something changes */
	}
}

void collector_look(struct mount *m)
{
	const int64_t now = mount_clock();
	const int is_urgent = collector_is_urgent(m);

	if (m->options.gc == MOUNT_GC_OFF || m->gc_is_done || m->is_broken || now < m->gc.next_ns ||
	    !collector_is_allowed(m))
		return;
	if (is_urgent || now - m->requested_ns >= seconds(m->options.gc_seconds))
		collect(m);
	else
		sleep_longer(m);
	m->gc.next_ns = mount_clock() + (is_urgent && !m->gc_is_done ? URGENT_NS : m->gc.wait_ns);
}
