/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * K-means clustering of update distances, in one dimension. All numbers are whole, so that every host finds the same
 * classes.
 */
#ifndef F2FSKIT_HOT_HOT_CLUSTER_H
#define F2FSKIT_HOT_HOT_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define HOT_CLASSES 16u	    /* the most that there can be */
#define HOT_INTERVALS 256u  /* the most that a sample is divided into */
#define HOT_SAMPLE 1048576u /* values, the most that a sample can have */

struct hot_cluster_options {
	unsigned classes;   /* wanted, 1 to HOT_CLASSES */
	unsigned intervals; /* of layered statistics, 1 to HOT_INTERVALS */
	bool by_logarithm;  /* distances are compared by their logarithm */
};

/* Classes by rising distance: class 0 is the hottest. */
struct hot_clusters {
	unsigned count; /* there may be fewer than were wanted; 0: none were found yet */
	unsigned passes;
	uint32_t border[HOT_CLASSES]; /* the largest distance of each class; of the last one UINT32_MAX */
};

/*
 * Find the classes of n values, which are put in order (by_logarithm: replaced by their logarithms). sums: room for
 * n + 1 numbers. Initial centroids are the centres of the fullest intervals that are not next to each other; passes of
 * Lloyd's algorithm follow until no border moves.
 */
void hot_cluster(const struct hot_cluster_options *options, uint32_t *values, size_t n, uint64_t *sums,
		 struct hot_clusters *out);
/* The logarithm of a value to base 2, in 256ths; of 0: 0. */
uint32_t hot_logarithm(uint32_t value);

static inline unsigned hot_class_of(const struct hot_clusters *c, uint32_t distance)
{
	unsigned i = 0;

	while (i + 1 < c->count && distance > c->border[i])
		i++;
	return i;
}

#endif
