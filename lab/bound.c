/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Deaths, and the bound by windows; see bound.h. */
#include <math.h>
#include <stdlib.h>

#include "bound.h"
#include "cleaner.h"

int lab_deaths(const uint32_t *trace, size_t count, uint32_t logical, uint64_t *death)
{
	uint64_t *next = malloc((size_t)logical * sizeof(*next));

	if (!next)
		return -1;
	for (uint32_t i = 0; i < logical; i++)
		next[i] = CLEANER_NEVER;
	for (size_t i = count; i-- > 0;) {
		death[i] = next[trace[i]];
		next[trace[i]] = i;
	}
	free(next);
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* Blocks of the writes [from, to) that live at time end. */
static uint64_t alive(const uint64_t *death, size_t from, size_t to, size_t end)
{
	uint64_t n = 0;

	for (size_t i = from; i < to; i++)
		n += death[i] >= end;
	return n;
}

/* Return the least cost of emptying sections that free `need` blocks; costs are sorted. */
static double cheapest(const uint32_t *cost, size_t sections, double n, double need)
{
	double sum = 0;

	for (size_t i = 0; i < sections && need > 0; i++) {
		const double wins = n - cost[i];

		if (wins <= 0)
			break;
		sum += wins <= need ? cost[i] : cost[i] * need / wins;
		need -= wins;
	}
	return sum;
}

/*
 * Compute the bound with windows of a number of sections. Of the writes before a window only those count that live at
 * its end. To count them for all windows in one pass over the trace, each write adds to the windows that it outlives.
 */
static uint64_t bound_of_length(const struct lab_space *space, const uint64_t *death, size_t count, size_t length,
				uint32_t *cost)
{
	const size_t n = space->section_blocks, window = length * n;
	const double room = (double)space->sections * (double)n;
	uint64_t moves = 0;

	for (size_t from = 0; from + window <= count; from += window) {
		const size_t end = from + window;
		const double before = (double)alive(death, 0, from, end);
		const double need = (double)window + before - room;

		if (need <= 0)
			continue;
		for (size_t i = 0; i < length; i++)
			cost[i] = (uint32_t)alive(death, from + i * n, from + (i + 1) * n, end);
		qsort(cost, length, sizeof(*cost), compare);
		moves += (uint64_t)ceil(cheapest(cost, length, (double)n, need) - 1e-9);
	}
	return moves;
}

int lab_moves_bound(const struct lab_space *space, const uint32_t *trace, size_t count, uint64_t *moves)
{
	const size_t longest = count / space->section_blocks;
	uint64_t *death = malloc((count + 1) * sizeof(*death));
	uint32_t *cost = malloc((longest + 1) * sizeof(*cost));
	int rc = death && cost ? lab_deaths(trace, count, space->logical, death) : -1;

	*moves = 0;
	/* windows from a quarter of the space on, each a tenth longer than the one before, to eight times the space */
	for (size_t length = space->sections / 4 + 1; rc == 0 && length <= longest && length <= 8u * space->sections;
	     length += length / 10 + 1) {
		const uint64_t bound = bound_of_length(space, death, count, length, cost);

		if (bound > *moves)
			*moves = bound;
	}
	free(death);
	free(cost);
	return rc;
}
