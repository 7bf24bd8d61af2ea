/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One variant of an experiment: make the volume, let the sources prepare their files, then run the rounds, all sources
 * side by side. After each round everything is committed, and the meter is held against the library's counters.
 */
#include "lab/run_variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lab/baseline.h"
#include "lab/baseline_future.h"
#include "lab/ftl/ftl_device.h"
#include "lab/hollow.h"
#include "lab/source.h"

struct active {
	struct lab_source *source;
	const char *name;
	double share, work; /* bytes made in this round, per share */
	int is_done;
};

struct source_params {
	const char *kind;
	double share;
};

static const struct lab_param source_table[] = {
	{ "kind", LAB_WORD, (unsigned)offsetof(struct source_params, kind), "", 0, 0, "its kind" },
	{ "share", LAB_FRACTION, (unsigned)offsetof(struct source_params, share), "1", 1e-6, 1e6,
	  "of the bytes, against other sources that run at the same time" },
};

struct lab_run {
	struct cli *cli;
	struct lab_config *config;
	struct lab_volume_params volume;
	struct lab_engine_params engine_params;
	struct f2fs_context *ctx;
	struct f2fs_device *hollow, *flash, *zoned, *metered; /* flash, zoned: NULL without a model */
	struct ftl *ftl;
	struct lab_meter *meter;
	struct lab_engine *engine;
	struct lab_trace_writer *trace; /* NULL: none */
	struct lab_future *future;	/* NULL: not needed */
	struct active sources[LAB_SOURCES];
	char names[LAB_SOURCES][64];
	unsigned source_count;
	uint32_t lowest_free;
	struct lab_idle idle;
	uint64_t commits; /* when free segments were looked at last */
	struct lab_variant *variant;
	struct lab_sample last; /* where the next sample begins */
	uint64_t first; /* blocks that had been written when the first round began */
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* The sources' names, in the order in which the file has them. */
static int find_names(struct lab_run *r)
{
	static const char prefix[] = "source.";

	for (unsigned i = 0; i < r->config->count; i++) {
		const struct lab_setting *s = &r->config->settings[i];
		const char *name = s->key + sizeof(prefix) - 1, *dot;
		unsigned k = 0;
		size_t n;

		if (strncmp(s->key, prefix, sizeof(prefix) - 1) != 0)
			continue;
		dot = strchr(name, '.');
		n = dot ? (size_t)(dot - name) : 0;
		if (n == 0 || n >= sizeof(r->names[0]))
			return lab_config_wrong(r->config, s, "is not in a table [source.NAME]");
		while (k < r->source_count && (strlen(r->names[k]) != n || strncmp(r->names[k], name, n) != 0))
			k++;
		if (k < r->source_count)
			continue;
		if (k == LAB_SOURCES)
			return lab_config_wrong(r->config, s, "is of one source too many");
		memcpy(r->names[k], name, n);
		r->names[k][n] = '\0';
		r->source_count++;
	}
	if (r->source_count > 0)
		return 0;
	snprintf(r->config->error, sizeof(r->config->error), "%s: there is no table [source.NAME]",
		 r->config->path ? r->config->path : "");
	return -1;
}

static int open_source(struct lab_run *r, unsigned i, uint64_t seed)
{
	const struct lab_source_type *type;
	const struct lab_setting *kind;
	struct source_params p;
	char prefix[96], key[112];

	snprintf(prefix, sizeof(prefix), "source.%s.", r->names[i]);
	if (lab_config_read(r->config, prefix, source_table, 2, &p))
		return -1;
	type = lab_source_type_find(p.kind);
	if (!type) {
		snprintf(key, sizeof(key), "%skind", prefix);
		kind = lab_config_find(r->config, key);
		if (kind)
			return lab_config_wrong(r->config, kind, "is no kind of source; f2fs-lab list has them");
		snprintf(r->config->error, sizeof(r->config->error), "%s: [source.%s] has no kind",
			 r->config->path ? r->config->path : "", r->names[i]);
		return -1;
	}
	r->sources[i].name = r->names[i];
	r->sources[i].share = p.share;
	return lab_source_open(type, r->config, prefix, seed * LAB_SOURCES + i, &r->sources[i].source);
}

/* Open the device. Sizes in percent refer to the space that the volume will have for users. */
static int open_device(struct lab_run *r)
{
	const struct f2fs_zone_options zones = { F2FS_SIZED(f2fs_zone_options),
						 .zone_bytes = r->volume.zone,
						 .conventional = (uint32_t)r->volume.conventional };
	int err = lab_hollow_open(r->ctx, r->volume.size / 4096 * 4096, &r->hollow);

	if (!err && r->volume.flash[0])
		err = ftl_device_open(r->ctx, r->volume.flash, r->hollow, 0, &r->ftl, &r->flash);
	if (!err && zones.zone_bytes > 0)
		err = f2fs_device_open_zoned(r->flash ? r->flash : r->hollow, &zones, &r->zoned);
	if (!err)
		err = lab_meter_open(r->ctx, r->zoned ? r->zoned : r->flash ? r->flash : r->hollow, &r->metered,
				     &r->meter);
	if (!err)
		err = lab_volume_room(r->ctx, r->metered, &r->volume, &r->config->whole);
	if (err)
		snprintf(r->config->error, sizeof(r->config->error), "[volume]: %.400s",
			 f2fs_context_error(r->ctx)->message);
	return err ? -1 : 0;
}

/* Read everything, and refuse what nobody understands, before anything is made. */
static int read_config(struct lab_run *r, uint64_t seed)
{
	unsigned count;
	const struct lab_param *table = lab_volume_table(&count);

	if (lab_config_read(r->config, "volume.", table, count, &r->volume))
		return -1;
	table = lab_engine_table(&count);
	if (lab_config_read(r->config, "engine.", table, count, &r->engine_params) || find_names(r) ||
	    open_device(r))
		return -1;
	for (unsigned i = 0; i < r->source_count; i++)
		if (open_source(r, i, seed))
			return -1;
	return lab_config_all_used(r->config);
}

/* Say at which operation the library failed. */
static int failed_at(struct lab_run *r, const struct active *a, const struct lab_op *op)
{
	char what[256];

	if (cli_stopped())
		return -1;
	snprintf(what, sizeof(what),
		 "operation %" PRIu64 " (source %s, round %u: %s of file %" PRIu32 ", offset %" PRIu64
		 ", length %" PRIu64 ")",
		 lab_engine_asked(r->engine)->ops, a->name, a->source->round, lab_op_name(op->kind), op->file,
		 op->offset, op->length);
	cli_error_of(r->cli, r->ctx, what);
	return -1;
}

/* Look at the free segments where a checkpoint was made. */
static void watch_free(struct lab_run *r)
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

/* Keep an operation, with file numbers and paths that are one source's only; and the checkpoint that came with it. */
static void keep(struct lab_run *r, unsigned i, const struct lab_op *op, int has_committed)
{
	char name[LAB_TRACE_NAME_MOST + 1];
	struct lab_op kept = *op;

	kept.file = op->file * LAB_SOURCES + i;
	if (op->kind == LAB_OP_CREATE) {
		snprintf(name, sizeof(name), "s%u/%.80s", i, op->name);
		kept.name = name;
	}
	kept.time_us = 0; /* sources that run side by side have clocks of their own */
	lab_trace_put(r->trace, &kept);
	if (has_committed && op->kind != LAB_OP_SYNC)
		lab_trace_put(r->trace, &(struct lab_op){ .kind = LAB_OP_SYNC });
}

/* Carry out one operation of a source. 1: its round is over; -1 after a message. */
static int step(struct lab_run *r, unsigned i)
{
	struct active *a = &r->sources[i];
	const uint64_t commits = lab_engine_asked(r->engine)->commits;
	struct lab_op op;
	int rc = lab_source_next(a->source, &op);

	if (rc < 0)
		cli_error(r->cli, "source %s: %s", a->name, a->source->error);
	if (rc)
		return rc;
	if (lab_engine_do(r->engine, i, &op))
		return failed_at(r, a, &op);
	if (r->trace)
		keep(r, i, &op, lab_engine_asked(r->engine)->commits > commits);
	a->work += (double)(op.kind == LAB_OP_WRITE && op.length ? op.length : 4096) / a->share;
	return cli_stopped() ? -1 : 0;
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
	out->seconds = now();
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

static int sample_now(struct lab_run *r)
{
	struct lab_sample end = { 0 };

	return read_counts(r, &end) || add_reading(r, &end) ? -1 : 0;
}

/* A short sample ends with the last round, and before idle cleaning, which no sample has. */
static int end_sample(struct lab_run *r, int is_last, const struct lab_sample *end)
{
	if (r->variant->sample_blocks == 0 || end->asked.blocks == r->last.asked.blocks ||
	    (!is_last && r->engine_params.idle_sections == 0))
		return 0;
	return add_reading(r, end);
}

/* Run a round of all sources side by side; round 0 one after the other. */
static int run_round(struct lab_run *r, int is_first)
{
	unsigned left = r->source_count, steps = 0;

	for (unsigned i = 0; i < r->source_count; i++) {
		r->sources[i].work = 0;
		r->sources[i].is_done = 0;
	}
	r->lowest_free = UINT32_MAX;
	while (left > 0) {
		unsigned best = LAB_SOURCES;
		int rc;

		for (unsigned i = 0; i < r->source_count; i++) {
			const struct active *a = &r->sources[i];

			if (!a->is_done &&
			    (best == LAB_SOURCES || (!is_first && a->work < r->sources[best].work)))
				best = i;
		}
		rc = step(r, best);
		if (rc < 0)
			return -1;
		if (rc == LAB_END) {
			r->sources[best].is_done = 1;
			left--;
		}
		if (++steps % 1024 == 0)
			watch_free(r);
		if (!is_first && is_due(r) && sample_now(r))
			return -1;
	}
	if (r->trace)
		lab_trace_end_round(r->trace);
	return 0;
}

/* All counts at the end of a round, after a commit. */
static int take_sample(struct lab_run *r, struct lab_sample *out)
{
	char buffer[160];
	const char *differs;

	if (lab_engine_commit(r->engine)) {
		cli_error_of(r->cli, r->ctx, "the checkpoint at the end of a round");
		return -1;
	}
	watch_free(r);
	if (read_counts(r, out))
		return -1;
	differs = lab_meter_compare(&out->seen, &out->said, buffer);
	if (differs)
		cli_error(r->cli, "%s", differs);
	return differs ? -1 : 0;
}

/* Let the volume clean in the background before a round. *sample leaves that work out. */
static int be_idle(struct lab_run *r, struct lab_sample *sample)
{
	const struct lab_idle before = sample->idle;
	const uint64_t written = sample->seen.written_bytes;
	struct f2fs_gc_result result;

	if (r->engine_params.idle_sections == 0)
		return 0;
	if (lab_engine_idle(r->engine, &result)) {
		cli_error_of(r->cli, r->ctx, "cleaning before a round");
		return -1;
	}
	if (take_sample(r, sample))
		return -1;
	r->idle.sections += result.sections;
	r->idle.blocks += result.data_blocks + result.node_blocks;
	r->idle.written += (sample->seen.written_bytes - written) / 4096;
	sample->idle = before;
	return 0;
}

static int run_rounds(struct lab_run *r, uint64_t rounds, struct lab_variant *v)
{
	struct lab_sample before = { 0 }, after = { 0 }, difference;
	struct f2fs_volume_stat stat = { F2FS_SIZED(f2fs_volume_stat) };
	double values[LAB_METRICS];

	before.seconds = now();
	if (run_round(r, 1) || take_sample(r, &after))
		return -1;
	lab_sample_between(&before, &after, &difference);
	lab_metrics(&difference, values);
	v->fill_waf = values[LAB_METRIC_waf];
	f2fs_volume_statfs(lab_engine_volume(r->engine), &stat);
	r->first = after.asked.blocks;
	v->used_share = (double)stat.valid_blocks / (double)stat.user_blocks;
	for (uint64_t i = 0; i < rounds; i++) {
		struct lab_round *round = &v->rounds[i];

		before = after;
		if (be_idle(r, &before))
			return -1;
		if (i == 0 || r->engine_params.idle_sections > 0)
			r->last = before;
		if (run_round(r, 0) || take_sample(r, &after) || end_sample(r, i + 1 == rounds, &after))
			return -1;
		lab_sample_between(&before, &after, &round->counts);
		lab_metrics(&round->counts, round->values);
		v->round_count++;
	}
	return 0;
}

static int open_engine(struct lab_run *r)
{
	if (lab_engine_open(r->ctx, r->metered, &r->volume, &r->engine_params, r->future, &r->engine)) {
		if (!cli_stopped())
			cli_error_of(r->cli, r->ctx, "making the volume");
		return -1;
	}
	lab_meter_reset(r->meter); /* the library counts from the opening of the volume on */
	return 0;
}

static void close_all(struct lab_run *r)
{
	lab_engine_close(r->engine);
	f2fs_device_close(r->metered);
	f2fs_device_close(r->zoned);
	f2fs_device_close(r->flash);
	f2fs_device_close(r->hollow);
	f2fs_context_close(r->ctx);
	for (unsigned i = 0; i < r->source_count; i++)
		lab_source_close(r->sources[i].source);
	free(r);
}

/* Run all rounds. A run that records for the future keeps nothing else. */
static int run_once(struct cli *cli, struct lab_config *config, uint64_t seed, uint64_t rounds,
		    struct lab_variant *variant, struct lab_future *future)
{
	struct lab_run *r = calloc(1, sizeof(*r));
	int rc = -1;

	if (!r) {
		cli_error(cli, "out of memory");
		return -1;
	}
	r->cli = cli;
	r->config = config;
	r->trace = variant->trace;
	r->future = future;
	r->variant = variant;
	variant->round_count = variant->sample_count = 0;
	if (cli_context_new(cli, &r->ctx))
		; /* it has said why */
	else if (read_config(r, seed))
		cli_error(cli, "%s", config->error);
	else if (!open_engine(r))
		rc = run_rounds(r, rounds, variant);
	close_all(r);
	return rc;
}

/* Run twice, the second time with the future known. */
static int run_twice(struct cli *cli, struct lab_config *config, uint64_t seed, uint64_t rounds,
		     struct lab_variant *variant)
{
	struct lab_trace_writer *trace = variant->trace;
	struct lab_future *future = lab_future_new();
	int rc = -1;

	variant->trace = NULL;
	if (future)
		rc = run_once(cli, config, seed, rounds, variant, future);
	if (!future || (!rc && lab_future_turn(future))) {
		cli_error(cli, "out of memory");
		rc = -1;
	}
	variant->trace = trace;
	if (!rc)
		rc = run_once(cli, config, seed, rounds, variant, future);
	lab_future_free(future);
	return rc;
}

int lab_variant_run(struct cli *cli, struct lab_config *config, uint64_t seed, uint64_t rounds,
		    struct lab_variant *variant)
{
	const struct lab_setting *placement = lab_config_find(config, "engine.placement");
	const double started = now();
	int rc;

	variant->rounds = calloc((size_t)rounds, sizeof(*variant->rounds));
	if (!variant->rounds) {
		cli_error(cli, "out of memory");
		return -1;
	}
	if (placement && !placement->is_list && lab_baseline_is_future(placement->items[0]))
		rc = run_twice(cli, config, seed, rounds, variant);
	else
		rc = run_once(cli, config, seed, rounds, variant, NULL);
	variant->seconds = now() - started;
	return rc;
}
