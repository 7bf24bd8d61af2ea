/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The counts of a run of a variant: read, kept as samples, and held against the library's counters.
 */
#include "lab/run_samples.h"

#include <stdlib.h>
#include <time.h>

double lab_run_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void lab_run_watch(struct lab_run *r)
{
	struct f2fs_volume *vol = lab_engine_volume(r->engine);
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
	struct f2fs_counters c = { F2FS_SIZED(f2fs_counters) };

	f2fs_volume_counters(vol, &c);
	if (c.commits == r->commits)
		return;
	r->commits = c.commits;
	f2fs_volume_statfs(vol, &stat);
	if (stat.free_segments < r->lowest_free)
		r->lowest_free = stat.free_segments;
}

/* All counts as they are now. */
static int read_counts(struct lab_run *r, struct lab_sample *out)
{
	struct f2fs_volume *vol = lab_engine_volume(r->engine);
	struct f2fs_hotness_stat hotness = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };

	if (lab_fullness_read(vol, &out->full)) {
		cli_error_of(r->cli, r->ctx, "the table of segments");
		return -1;
	}
	f2fs_volume_statfs(vol, &stat);
	out->said.struct_size = sizeof(out->said);
	f2fs_volume_counters(vol, &out->said);
	out->seen = *lab_meter_counts(r->meter);
	out->asked = *lab_engine_asked(r->engine);
	if (r->ftl)
		lab_flash_read(r->ftl, &out->flash);
	lab_placed_read(r->engine, &out->placed);
	lab_engine_hotness(r->engine, &hotness);
	out->placement_bytes = hotness.memory;
	out->idle = r->idle;
	out->free_segments = stat.free_segments;
	out->lowest_free = r->lowest_free < stat.free_segments ? r->lowest_free : stat.free_segments;
	out->seconds = lab_run_now();
	return 0;
}

/* Is it time for a sample? One changes nothing, so a run with samples is the same as without. */
static int is_due(const struct lab_run *r)
{
	const uint64_t written = lab_engine_asked(r->engine)->blocks;

	return r->variant->sample_blocks > 0 && written - r->last.asked.blocks >= r->variant->sample_blocks;
}

static int add_reading(struct lab_run *r, const struct lab_sample *end)
{
	struct lab_variant *v = r->variant;
	struct lab_sample difference;
	struct lab_reading *reading;

	if (v->sample_count == v->sample_room) {
		const unsigned room = v->sample_room ? 2 * v->sample_room : 64;
		struct lab_reading *more = realloc(v->samples, room * sizeof(*more));

		if (!more) {
			cli_error(r->cli, "out of memory");
			return -1;
		}
		v->samples = more;
		v->sample_room = room;
	}
	reading = &v->samples[v->sample_count++];
	reading->round = v->round_count + 1;
	reading->written = end->asked.blocks - r->first;
	lab_sample_between(&r->last, end, &difference);
	lab_metrics(&difference, reading->values);
	r->last = *end;
	return 0;
}

int lab_run_sample(struct lab_run *r)
{
	struct lab_sample end = { 0 };

	if (!is_due(r))
		return 0;
	return read_counts(r, &end) || add_reading(r, &end) ? -1 : 0;
}

/* A short sample ends with the last round, and before idle cleaning, which no sample has. */
int lab_run_end_sample(struct lab_run *r, int is_last, const struct lab_sample *end)
{
	if (r->variant->sample_blocks == 0 || end->asked.blocks == r->last.asked.blocks ||
	    (!is_last && !lab_engine_is_idle(&r->engine_params)))
		return 0;
	return add_reading(r, end);
}

int lab_run_count(struct lab_run *r, struct lab_sample *out)
{
	char buffer[160];
	const char *differs;

	if (lab_engine_commit(r->engine)) {
		cli_error_of(r->cli, r->ctx, "the checkpoint at the end of a round");
		return -1;
	}
	lab_run_watch(r);
	if (read_counts(r, out))
		return -1;
	for (unsigned i = 0; i < r->source_count; i++) {
		if (r->sources[i].reads_back && lab_engine_read_back(r->engine, i, &out->back)) {
			cli_error_of(r->cli, r->ctx, "looking where the files are");
			return -1;
		}
	}
	differs = lab_meter_compare(&out->seen, &out->said, buffer);
	if (differs)
		cli_error(r->cli, "%s", differs);
	return differs ? -1 : 0;
}
