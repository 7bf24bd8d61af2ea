/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One-dimensional K-means: on sorted values a class is a run, so a pass finds borders by bisection and means by prefix
 * sums, and costs little however many values there are.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "hot/hot_cluster.h"

#define FRACTION 8u /* bits of a centroid after the point */
#define PASSES 64u

uint32_t hot_logarithm(uint32_t value)
{
	static const uint32_t least[1u << FRACTION] = {
#include "hot/logarithm.def"
	};
	uint32_t whole = 0, part, m;

	if (value == 0)
		return 0;
	for (uint32_t step = 16; step > 0; step /= 2)
		whole += value >> (whole + step) ? step : 0;
	m = value << (31 - whole); /* 1.0 to 2.0, with 31 bits after the point */
	/* a logarithm is no less than the line between its ends, and no more than 0.087 above that */
	part = (m ^ 1u << 31) >> (31 - FRACTION);
	for (uint32_t step = 16; step > 0; step /= 2)
		part += part + step < 1u << FRACTION && m >= least[part + step] ? step : 0;
	return whole << FRACTION | part;
}

static int compare(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* How many of the sorted values are at most limit? */
static size_t count_up_to(const uint32_t *values, size_t n, uint32_t limit)
{
	return sorted_border(values, n, sizeof(limit), compare, &limit, 1);
}

/* The fullest interval that is not next to a chosen one, the first of those; m: there is none. */
static unsigned fullest(const size_t *counts, const bool *is_chosen, unsigned m)
{
	unsigned best = m;

	for (unsigned i = 0; i < m; i++) {
		if (counts[i] == 0 || is_chosen[i] || (i > 0 && is_chosen[i - 1]) || (i + 1 < m && is_chosen[i + 1]))
			continue;
		if (best == m || counts[i] > counts[best])
			best = i;
	}
	return best;
}

/* Layered statistics: initial centroids, rising; returns how many. */
static unsigned choose_centroids(const struct hot_cluster_options *o, const uint32_t *values, size_t n,
				 uint64_t *centroids)
{
	const uint64_t low = values[0], span = (uint64_t)values[n - 1] - low + 1;
	size_t counts[HOT_INTERVALS] = { 0 };
	bool is_chosen[HOT_INTERVALS] = { false };
	unsigned count = 0, k = 0;

	for (size_t i = 0; i < n; i++)
		counts[(values[i] - low) * o->intervals / span]++;
	for (; count < o->classes; count++) {
		const unsigned best = fullest(counts, is_chosen, o->intervals);

		if (best == o->intervals)
			break;
		is_chosen[best] = true;
	}
	for (unsigned i = 0; i < o->intervals; i++)
		if (is_chosen[i])
			centroids[k++] = (low << FRACTION) + ((2 * i + 1) * (span << FRACTION)) / (2 * o->intervals);
	return k;
}

static void set_borders(const uint64_t *centroids, struct hot_clusters *out)
{
	for (unsigned i = 0; i + 1 < out->count; i++)
		out->border[i] = (uint32_t)((centroids[i] + centroids[i + 1]) >> (FRACTION + 1));
	out->border[out->count - 1] = UINT32_MAX;
}

/* Move each centroid to the mean of its class; one without values stays. */
static void move_centroids(const uint32_t *values, const uint64_t *sums, size_t n, const struct hot_clusters *c,
			   uint64_t *centroids)
{
	size_t first = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const size_t end = count_up_to(values, n, c->border[i]);

		if (end > first)
			centroids[i] = ((sums[end] - sums[first]) << FRACTION) / (end - first);
		first = end;
	}
}

/* Borders between logarithms become borders between distances: the largest value with that logarithm. */
static void undo_logarithm(struct hot_clusters *c)
{
	for (unsigned i = 0; i + 1 < c->count; i++) {
		uint32_t low = 0, high = UINT32_MAX;

		while (low < high) {
			const uint32_t middle = low + (high - low) / 2 + 1;

			if (hot_logarithm(middle) <= c->border[i])
				low = middle;
			else
				high = middle - 1;
		}
		c->border[i] = low;
	}
}

void hot_cluster(const struct hot_cluster_options *o, uint32_t *values, size_t n, uint64_t *sums,
		 struct hot_clusters *out)
{
	uint64_t centroids[HOT_CLASSES] = { 0 };

	memset(out, 0, sizeof(*out));
	if (n == 0)
		return;
	for (size_t i = 0; i < n && o->by_logarithm; i++)
		values[i] = hot_logarithm(values[i]);
	qsort(values, n, sizeof(*values), compare);
	sums[0] = 0;
	for (size_t i = 0; i < n; i++)
		sums[i + 1] = sums[i] + values[i];
	out->count = choose_centroids(o, values, n, centroids);
	set_borders(centroids, out);
	while (out->passes < PASSES) {
		uint32_t before[HOT_CLASSES];

		memcpy(before, out->border, sizeof(before));
		move_centroids(values, sums, n, out, centroids);
		set_borders(centroids, out);
		out->passes++;
		if (memcmp(before, out->border, sizeof(before)) == 0)
			break;
	}
	if (o->by_logarithm)
		undo_logarithm(out);
}
