/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The states after a power cut. The walk goes from flush to flush; a fork of a memory device is the durable contents
 * there, and every state is a fork of that with some of the writes that follow, so that a state costs only its changes.
 */
#include "crash/crash.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECTOR 512u

struct walk {
	const struct f2fs_device *recorder;
	const struct crash_options *options;
	crash_judge judge;
	void *user;
	uint64_t count;
	uint64_t random;
	/* The records between two flushes. */
	uint64_t first, end;
	struct f2fs_device *durable; /* contents without them */
};

static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return z ^ (z >> 31);
}

/* Fill a discarded range with bytes that nobody wrote; large ones are zeroed, to save memory. */
static int scribble(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	uint8_t bytes[4096];
	int rc = 0;

	if (length > 4u << 20)
		return f2fs_device_zero(dev, offset, length);
	memset(bytes, 0xd1, sizeof(bytes));
	while (rc == 0 && length > 0) {
		const size_t n = length < sizeof(bytes) ? (size_t)length : sizeof(bytes);

		rc = f2fs_device_write(dev, offset, bytes, n);
		offset += n;
		length -= n;
	}
	return rc;
}

/* Do bytes [from, to) of a record. */
static int apply_part(struct f2fs_device *dev, const struct f2fs_record *r, uint64_t from, uint64_t to)
{
	switch (r->kind) {
	case F2FS_RECORD_WRITE:
		return f2fs_device_write(dev, r->offset + from, r->data + from, (size_t)(to - from));
	case F2FS_RECORD_ZERO:
		return f2fs_device_zero(dev, r->offset + from, to - from);
	case F2FS_RECORD_DISCARD:
		return scribble(dev, r->offset + from, to - from);
	default:
		return 0;
	}
}

static int get_record(const struct walk *w, uint64_t index, struct f2fs_record *r)
{
	return f2fs_device_record_at(w->recorder, index, r);
}

static int apply_whole(const struct walk *w, struct f2fs_device *dev, uint64_t index)
{
	struct f2fs_record r;
	int rc = get_record(w, index, &r);

	return rc == 0 ? apply_part(dev, &r, 0, r.length) : rc;
}

static int judge_state(struct walk *w, struct f2fs_device *dev, const char *kind, uint64_t issued, uint64_t number)
{
	const struct crash_state state = { kind, w->first, issued, number, dev };

	w->count++;
	return w->judge(w->user, &state);
}

/* ---- in order ---- */

/* Judge the state where the record at index has begun and is cut off after a number of bytes. */
static int judge_torn(struct walk *w, struct f2fs_device *base, const struct f2fs_record *r, uint64_t index,
		      uint64_t bytes)
{
	struct f2fs_device *dev;
	int rc = f2fs_device_fork_memory(base, &dev);

	if (rc != 0)
		return rc;
	rc = apply_part(dev, r, 0, bytes);
	if (rc == 0)
		rc = judge_state(w, dev, "torn", index + 1, bytes);
	f2fs_device_close(dev);
	return rc;
}

/* Cut a record after its first sector, in the middle, and before its last sector. */
static int judge_tears(struct walk *w, struct f2fs_device *base, uint64_t index)
{
	struct f2fs_record r;
	uint64_t cuts[3];
	uint64_t before = 0;
	int rc = get_record(w, index, &r);

	cuts[0] = SECTOR;
	cuts[1] = r.length / 2 / SECTOR * SECTOR;
	cuts[2] = r.length > SECTOR ? (r.length - 1) / SECTOR * SECTOR : 0;
	for (unsigned i = 0; rc == 0 && i < 3; i++) {
		if (cuts[i] <= before || cuts[i] >= r.length)
			continue;
		before = cuts[i];
		rc = judge_torn(w, base, &r, index, cuts[i]);
	}
	return rc;
}

/* All that the disk could have done when it keeps to the order. */
static int judge_prefixes(struct walk *w)
{
	struct f2fs_device *dev, *copy;
	int rc = f2fs_device_fork_memory(w->durable, &dev);

	for (uint64_t i = w->first; rc == 0; i++) {
		/* Judges may change their copy. */
		rc = f2fs_device_fork_memory(dev, &copy);
		if (rc != 0)
			break;
		rc = judge_state(w, copy, "prefix", i, 0);
		f2fs_device_close(copy);
		if (rc != 0 || i == w->end)
			break;
		rc = judge_tears(w, dev, i);
		if (rc == 0)
			rc = apply_whole(w, dev, i);
	}
	f2fs_device_close(dev);
	return rc;
}

/* ---- in any order ---- */

/* Does the record with this place (from 0) arrive in the given combination? Few records: each bit pattern once; many:
 * first all but one, then one alone, then at random. */
static bool is_chosen(struct walk *w, uint64_t place, uint64_t total, uint64_t number)
{
	if (total < 20)
		return (number >> place & 1) != 0;
	if (number < total)
		return place != number;
	if (number < 2 * total)
		return place == number - total;
	return (next_random(&w->random) & 1) != 0;
}

static int judge_subset(struct walk *w, uint64_t number)
{
	struct f2fs_device *dev;
	int rc = f2fs_device_fork_memory(w->durable, &dev);

	if (rc != 0)
		return rc;
	for (uint64_t i = w->first; rc == 0 && i < w->end; i++)
		if (is_chosen(w, i - w->first, w->end - w->first, number))
			rc = apply_whole(w, dev, i);
	if (rc == 0)
		rc = judge_state(w, dev, "subset", w->end, number);
	f2fs_device_close(dev);
	return rc;
}

static int judge_subsets(struct walk *w)
{
	const uint64_t total = w->end - w->first;
	const uint64_t all = total < 20 ? (uint64_t)1 << total : UINT64_MAX;
	/* When not all of them can be tried, spread over the numbers by a large odd step. */
	const uint64_t step = all > w->options->subsets && total < 20 ? 0x9E3779B1u : 1;
	const uint64_t count = all < w->options->subsets ? all : w->options->subsets;
	int rc = 0;

	for (uint64_t i = 0; rc == 0 && total > 1 && i < count; i++)
		rc = judge_subset(w, total < 20 ? i * step % all : i);
	return rc;
}

/* Each sector of each write arrives or does not; runs of both, since disks lose pages rather than sectors. */
static int scatter_record(struct walk *w, struct f2fs_device *dev, uint64_t index)
{
	struct f2fs_record r;
	int rc = get_record(w, index, &r);

	for (uint64_t at = 0; rc == 0 && at < r.length;) {
		const uint64_t sectors = (uint64_t)1 << next_random(&w->random) % 10;
		uint64_t end = at + sectors * SECTOR;

		if (end > r.length)
			end = r.length;
		if (next_random(&w->random) & 1)
			rc = apply_part(dev, &r, at, end);
		at = end;
	}
	return rc;
}

static int judge_scattered(struct walk *w)
{
	int rc = 0;

	for (unsigned i = 0; rc == 0 && w->end > w->first && i < w->options->scattered; i++) {
		struct f2fs_device *dev;

		rc = f2fs_device_fork_memory(w->durable, &dev);
		if (rc != 0)
			return rc;
		for (uint64_t j = w->first; rc == 0 && j < w->end; j++)
			rc = scatter_record(w, dev, j);
		if (rc == 0)
			rc = judge_state(w, dev, "scattered", w->end, i);
		f2fs_device_close(dev);
	}
	return rc;
}

/* ---- from flush to flush ---- */

static int find_flush(struct walk *w)
{
	const uint64_t total = f2fs_device_record_count(w->recorder);
	struct f2fs_record r;

	for (w->end = w->first; w->end < total; w->end++) {
		int rc = get_record(w, w->end, &r);

		if (rc != 0)
			return rc;
		if (r.kind == F2FS_RECORD_FLUSH)
			break;
	}
	return 0;
}

static int judge_epoch(struct walk *w)
{
	int rc = find_flush(w);

	if (rc == 0)
		rc = judge_prefixes(w);
	if (rc == 0)
		rc = judge_subsets(w);
	if (rc == 0)
		rc = judge_scattered(w);
	for (uint64_t i = w->first; rc == 0 && i < w->end; i++)
		rc = apply_whole(w, w->durable, i);
	w->first = w->end + 1;
	return rc;
}

int crash_each(struct f2fs_device *before, const struct f2fs_device *recorder, const struct crash_options *options,
	       crash_judge judge, void *user, uint64_t *count)
{
	struct walk w = {
		.recorder = recorder, .options = options, .judge = judge, .user = user, .random = options->seed
	};
	int rc = f2fs_device_fork_memory(before, &w.durable);

	if (rc != 0)
		return rc;
	while (rc == 0 && w.first <= f2fs_device_record_count(recorder))
		rc = judge_epoch(&w);
	f2fs_device_close(w.durable);
	if (count)
		*count = w.count;
	return rc;
}

void crash_describe(const struct crash_state *state, char *text, size_t size)
{
	snprintf(text, size, "%s %llu of records %llu to %llu", state->kind, (unsigned long long)state->number,
		 (unsigned long long)state->durable, (unsigned long long)state->issued);
}
