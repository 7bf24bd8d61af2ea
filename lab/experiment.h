/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An experiment: a volume, the way it is written, sources of operations, varied settings, and statements of a paper.
 * Its file has the tables [experiment], [volume], [engine], [source.NAME] with the key kind, and maybe [vary] (lists:
 * each combination is a variant), [small] (other settings with --small), [baseline] (other settings for the clean
 * volume that waf_relative refers to) and [paper.NAME].
 */
#ifndef F2FSKIT_LAB_EXPERIMENT_H
#define F2FSKIT_LAB_EXPERIMENT_H

#include "cli/host.h"
#include "lab/metrics.h"
#include "lab/trace.h"

enum { LAB_SOURCES = 8, LAB_VARIED = 6, LAB_COLUMNS = 12, LAB_PAPER_VALUES = 32 };

struct lab_experiment_params {
#define PARAM(key, kind, standard, min, max, help) LAB_MEMBER_##kind key;
#include "lab/experiment.def"
#undef PARAM
};
const struct lab_param *lab_experiment_table(unsigned *count);

struct lab_round {
	double values[LAB_METRICS];
	struct lab_sample counts; /* of this round alone */
};

/* All metrics of a part of a round: the blocks that the load wrote up to `written`, since the sample before. */
struct lab_reading {
	uint64_t round, written; /* where it ends, from 1 on; blocks since the first round began */
	double values[LAB_METRICS];
};

struct lab_variant {
	char label[160];	   /* "logging=normal size=20GB"; "" when nothing is varied */
	double fill_waf;	   /* of what came before the first round */
	double baseline_waf;	   /* of a round on the clean volume; 0: none was asked for */
	double used_share;	   /* of the blocks for users, in use before the first round */
	struct lab_round *rounds;
	unsigned round_count;
	uint64_t sample_blocks; /* experiment.samples; 0: no samples */
	struct lab_reading *samples;
	unsigned sample_count, sample_room;
	double seconds;
	struct lab_trace_writer *trace; /* records the operations of the engine; NULL: none */
};

struct lab_paper_value {
	const char *name, *metric, *where, *words;
	uint64_t round;
	const char *value;
};

struct lab_result {
	struct lab_experiment_params about; /* strings belong to config */
	struct lab_config config;	    /* as the experiment was run: with --small and --set */
	const char *columns[LAB_COLUMNS];
	unsigned column_count;
	struct lab_paper_value paper[LAB_PAPER_VALUES];
	unsigned paper_count;
	struct lab_variant *variants;
	unsigned variant_count;
	struct lab_trace_writer *trace; /* of an experiment with one variant */
};

/*
 * Run an experiment. settings is a configuration that was read and overridden, taken over by the result, of which trace
 * may be set before. 0, or -1 after a message; nothing is in the result then but what lab_result_free() gives back.
 */
int lab_experiment_run(struct cli *cli, struct lab_config *settings, int is_small, struct lab_result *result);
void lab_result_free(struct lab_result *result);

/* The value of a metric in a round, from 1 on, or waf_relative; 0 when found. */
int lab_variant_value(const struct lab_variant *variant, const char *metric, uint64_t round, double *value,
		      int *decimals);
/* Is it a name that lab_variant_value knows? */
int lab_is_value(const char *metric);

#endif
