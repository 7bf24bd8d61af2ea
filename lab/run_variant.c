/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One variant of an experiment: the sources prepare their files, then the rounds run, all sources side by side. After
 * each round everything is committed, and the meter is held against the library's counters.
 */
#include "lab/run_variant.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/baseline.h"
#include "lab/run_opening.h"
#include "lab/run_samples.h"

/* Say at which operation the library failed. */
static int failed_at(struct lab_run *r, const struct lab_active *a, const struct lab_op *op)
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
	struct lab_active *a = &r->sources[i];
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
			const struct lab_active *a = &r->sources[i];

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
			lab_run_watch(r);
		if (!is_first && lab_run_sample(r))
			return -1;
	}
	if (r->trace)
		lab_trace_end_round(r->trace);
	return 0;
}

/* Let the volume clean in the background before a round. *sample leaves that work out. */
static int be_idle(struct lab_run *r, struct lab_sample *sample)
{
	const struct lab_idle before = sample->idle;
	const uint64_t written = sample->seen.written_bytes;
	struct f2fs_gc_result result;

	if (!lab_engine_is_idle(&r->engine_params))
		return 0;
	if (lab_engine_idle(r->engine, &result)) {
		cli_error_of(r->cli, r->ctx, "cleaning before a round");
		return -1;
	}
	if (lab_run_count(r, sample))
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

	before.seconds = lab_run_now();
	if (run_round(r, 1) || lab_run_count(r, &after))
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
		if (i == 0 || lab_engine_is_idle(&r->engine_params))
			r->last = before;
		if (run_round(r, 0) || lab_run_count(r, &after) || lab_run_end_sample(r, i + 1 == rounds, &after))
			return -1;
		lab_sample_between(&before, &after, &round->counts);
		lab_metrics(&round->counts, round->values);
		v->round_count++;
	}
	return 0;
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
	else if (lab_run_read(r, seed))
		cli_error(cli, "%s", config->error);
	else if (!lab_run_open(r))
		rc = run_rounds(r, rounds, variant);
	lab_run_close(r);
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
	const double started = lab_run_now();
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
	variant->seconds = lab_run_now() - started;
	return rc;
}
