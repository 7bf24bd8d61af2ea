/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers from counts.
 */
#include "lab/metrics.h"

#include <stddef.h>
#include <string.h>

static const struct lab_metric_row rows[] = {
#define METRIC(id, decimals, value, text) { #id, text, decimals },
#include "lab/metrics.def"
#undef METRIC
};

const struct lab_metric_row *lab_metric_at(unsigned index)
{
	return index < LAB_METRICS ? &rows[index] : NULL;
}

int lab_metric_find(const char *name)
{
	for (int i = 0; i < LAB_METRICS; i++)
		if (strcmp(rows[i].name, name) == 0)
			return i;
	return -1;
}

/* The parts of a sample that hold nothing but 64-bit counts. */
#define COUNTS(part) { offsetof(struct lab_sample, part), sizeof(((struct lab_sample *)0)->part) }
static const struct counts {
	size_t offset, bytes;
} counts[] = { COUNTS(said), COUNTS(seen), COUNTS(asked), COUNTS(flash), COUNTS(placed), COUNTS(idle) };

/* *to += sign * *from, of all counts. */
static void add_counts(struct lab_sample *to, const struct lab_sample *from, uint64_t sign)
{
	for (unsigned i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		uint64_t *t = (uint64_t *)(void *)((char *)to + counts[i].offset);
		const uint64_t *f = (const uint64_t *)(const void *)((const char *)from + counts[i].offset);

		for (size_t k = 0; k < counts[i].bytes / sizeof(*t); k++)
			t[k] += sign * f[k];
	}
}

void lab_sample_between(const struct lab_sample *earlier, const struct lab_sample *later, struct lab_sample *out)
{
	*out = *later;
	add_counts(out, earlier, UINT64_MAX);
	out->seconds = later->seconds - earlier->seconds;
}

void lab_sample_add(struct lab_sample *sum, const struct lab_sample *next)
{
	struct lab_sample later = *next;

	add_counts(&later, sum, 1);
	later.seconds += sum->seconds;
	*sum = later;
}

void lab_placed_read(const struct lab_engine *e, struct lab_placed *out)
{
	struct f2fs_hotness_stat hotness = { F2FS_SIZED(f2fs_hotness_stat) };
	struct f2fs_stream_stat streams = { F2FS_SIZED(f2fs_stream_stat) };

	lab_engine_hotness(e, &hotness);
	f2fs_volume_streams(lab_engine_volume(e), &streams);
	*out = (struct lab_placed){
		.submissions = streams.submissions,
		.partial = streams.partial,
		.held = streams.held,
		.saved = streams.saved,
		.refused = streams.refused,
		.clusterings = hotness.clusterings,
		.hits = hotness.hits,
		.misses = hotness.misses,
		.sidecar_writes = hotness.sidecar_writes,
	};
}

/* Cost of a request on a disk besides its blocks, in blocks: some 10 ms of seeking at some 4 MB/s. */
#define REQUEST_BLOCKS 10

static double divided(double a, double b)
{
	return b > 0 ? a / b : 0;
}
#define per(a, b) divided((double)(a), (double)(b))

static double cause_of(const struct lab_sample *d, unsigned cause)
{
	return (double)d->said.bytes[cause] / 4096;
}

static double moved_of(const struct lab_sample *d)
{
	return cause_of(d, F2FS_WRITE_MOVED_DATA) + cause_of(d, F2FS_WRITE_MOVED_NODE);
}

static double tables_of(const struct lab_sample *d)
{
	return cause_of(d, F2FS_WRITE_NAT) + cause_of(d, F2FS_WRITE_SIT) + cause_of(d, F2FS_WRITE_SSA) +
	       cause_of(d, F2FS_WRITE_PACK);
}

/* What went through logs. */
static double logged_of(const struct lab_sample *d)
{
	return cause_of(d, F2FS_WRITE_DATA) + cause_of(d, F2FS_WRITE_NODE) + moved_of(d);
}

uint64_t lab_fullness_between(const struct lab_fullness *full, unsigned from, unsigned to)
{
	uint64_t n = 0;

	for (unsigned i = from; i <= to; i++)
		n += full->data[i] + full->node[i];
	return n;
}

/* Of the segments in use, the share with from to to blocks in use. */
static double full_share(const struct lab_sample *d, unsigned from, unsigned to)
{
	return per(lab_fullness_between(&d->full, from, to), lab_fullness_between(&d->full, 1, 512));
}

static double data_share(const struct lab_sample *d)
{
	uint64_t data = 0;

	for (unsigned i = 1; i <= 512; i++)
		data += d->full.data[i];
	return per(data, lab_fullness_between(&d->full, 1, 512));
}

/* Of the blocks in use, the share of a log type. */
static double valid_share(const struct lab_sample *d, unsigned log)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		all += d->full.valid[i];
	return per(d->full.valid[log], all);
}

/* Of the blocks of a temperature, those that take the place of others. */
static double updated_share(const struct lab_sample *d, unsigned log)
{
	return per(d->said.log_updated[log], d->said.log_updated[log] + d->said.log_new[log]);
}

static double blocks_of(const struct lab_sample *d)
{
	return (double)d->seen.written_bytes / 4096;
}

void lab_metrics(const struct lab_sample *d, double *values)
{
#define METRIC(id, decimals, value, text) values[LAB_METRIC_##id] = (double)(value);
#include "lab/metrics.def"
#undef METRIC
}

void lab_flash_read(const struct ftl *ftl, struct lab_flash_counts *out)
{
	struct ftl_counts c;

	ftl_count(ftl, &c);
	*out = (struct lab_flash_counts){ .erased_bytes = c.erases * ftl_block_bytes(ftl),
					  .writes = c.host_writes,
					  .programs = c.programs,
					  .copies = c.copies,
					  .full = c.full,
					  .partial = c.partial,
					  .switches = c.switches,
					  .map_lookups = c.map_lookups,
					  .map_hits = c.map_hits,
					  .map_reads = c.map_reads,
					  .map_writes = c.map_writes };
}

static void end_run(struct lab_fullness *out, uint64_t *run)
{
	out->free_blocks += *run;
	out->free_runs += *run > 0;
	out->long_free_blocks += *run >= 512 ? *run : 0;
	*run = 0;
}

/* Continue through the blocks of the next segment. *run is the number of free blocks just before it. */
static void add_free_runs(struct lab_fullness *out, const struct f2fs_segment_info *entry, uint64_t *run)
{
	for (unsigned i = 0; i < 512; i++) {
		if (i % 8 == 0 && entry->valid_map[i / 8] == 0) {
			*run += 8;
			i += 7;
		} else if (entry->valid_map[i / 8] & 0x80u >> i % 8) {
			end_run(out, run);
		} else {
			++*run;
		}
	}
}

int lab_fullness_read(struct f2fs_volume *vol, struct lab_fullness *out)
{
	const uint32_t count = f2fs_volume_geometry(vol)->segment_count_main;
	f2fs_seg_t logs[F2FS_LOG_COUNT];
	uint64_t run = 0;

	memset(out, 0, sizeof(*out));
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++) {
		struct f2fs_log_head log;

		if (f2fs_volume_log(vol, i, &log))
			return F2FS_ERR_STATE;
		logs[i] = log.segno;
	}
	for (f2fs_seg_t segno = 0; segno < count; segno++) {
		struct f2fs_segment_info entry;
		unsigned in_log = 0;
		int err = f2fs_sit_lookup(vol, segno, &entry);

		if (err)
			return err;
		if (entry.type < F2FS_LOG_COUNT)
			out->valid[entry.type] += entry.valid_blocks;
		for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
			in_log += logs[i] == segno;
		if (!in_log && entry.valid_blocks <= 512)
			(entry.type < F2FS_HOT_NODE ? out->data : out->node)[entry.valid_blocks]++;
		add_free_runs(out, &entry, &run);
	}
	end_run(out, &run);
	return 0;
}
