/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Measurements of an experiment: samples of all counts at the ends of rounds, numbers made of their differences
 * (metrics.def), and how full the segments are.
 */
#ifndef F2FSKIT_LAB_METRICS_H
#define F2FSKIT_LAB_METRICS_H

#include "lab/engine.h"
#include "lab/ftl/ftl.h"
#include "lab/meter.h"

/* Segments by the number of blocks in use in them, as the last commit says; those that a log is in are left out. */
struct lab_fullness {
	uint32_t data[513], node[513];
	uint64_t valid[F2FS_LOG_COUNT]; /* blocks in use by the log type of their segment, those of logs included */
	uint64_t free_blocks, free_runs, long_free_blocks; /* of the whole main area; in runs of 512 and more */
};

/* Counts of a flash model below the volume; all 0 when there is none. */
struct lab_flash_counts {
	uint64_t erased_bytes, writes, programs, copies;
	uint64_t full, partial, switches;
	uint64_t map_lookups, map_hits, map_reads, map_writes;
};
void lab_flash_read(const struct ftl *ftl, struct lab_flash_counts *out);

/* What streams and the placement did; all 0 without one. */
struct lab_placed {
	uint64_t submissions, partial, held, saved, refused;
	uint64_t clusterings, hits, misses, sidecar_writes;
};
void lab_placed_read(const struct lab_engine *e, struct lab_placed *out);

/* What cleaning did before rounds, when the volume was idle. Else rounds know nothing of it. */
struct lab_idle {
	uint64_t sections, blocks, written; /* emptied; in use in them; written to the device */
};

struct lab_sample {
	struct f2fs_counters said;
	struct lab_meter_counts seen;
	struct lab_asked asked;
	struct lab_flash_counts flash;
	struct lab_placed placed;
	struct lab_idle idle;
	uint64_t placement_bytes; /* of memory, now */
	uint32_t free_segments, lowest_free;
	struct lab_fullness full;
	struct lab_read_back back; /* now */
	double seconds; /* of the wall */
};

enum lab_metric {
#define METRIC(id, decimals, value, text) LAB_METRIC_##id,
#include "lab/metrics.def"
#undef METRIC
	LAB_METRICS
};
struct lab_metric_row {
	const char *name, *text;
	int decimals;
};
const struct lab_metric_row *lab_metric_at(unsigned index); /* NULL past the last */
int lab_metric_find(const char *name);			    /* -1: there is none */
/* *out = later - earlier; free segments and full are the later's. */
void lab_sample_between(const struct lab_sample *earlier, const struct lab_sample *later, struct lab_sample *out);
/* Add a difference to a sum of those before it; free segments and full are the next one's. */
void lab_sample_add(struct lab_sample *sum, const struct lab_sample *next);
/* Fill values[LAB_METRICS] from such a difference. */
void lab_metrics(const struct lab_sample *difference, double *values);

/* An error code, which the volume's context explains. */
int lab_fullness_read(struct f2fs_volume *vol, struct lab_fullness *out);
/* Segments of both kinds with from to to blocks in use. */
uint64_t lab_fullness_between(const struct lab_fullness *full, unsigned from, unsigned to);

#endif
