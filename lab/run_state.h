/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a run of a variant: run_opening.c makes what it needs, run_samples.c reads its counts, and run_variant.c
 * has its rounds.
 */
#ifndef F2FSKIT_LAB_RUN_STATE_H
#define F2FSKIT_LAB_RUN_STATE_H

#include "lab/baseline_future.h"
#include "lab/experiment.h"
#include "lab/ftl/ftl.h"
#include "lab/source.h"

/* A source, and how far it is in a round. */
struct lab_active {
	struct lab_source *source;
	const char *name;
	double share, work; /* bytes made in this round, per share */
	uint8_t reads_back; /* its files are looked at after each round */
	int is_done;
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
	struct lab_active sources[LAB_SOURCES];
	char names[LAB_SOURCES][64];
	unsigned source_count;
	uint32_t lowest_free;
	struct lab_idle idle;
	uint64_t commits; /* when free segments were looked at last */
	struct lab_variant *variant;
	struct lab_sample last; /* where the next sample begins */
	uint64_t first; /* blocks that had been written when the first round began */
};

#endif
