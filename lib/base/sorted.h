/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Searches in sorted arrays. compare orders an item and a key, as the function of the sort does. The key is an item,
 * too; only the members that compare looks at need to be set.
 */
#ifndef F2FSKIT_BASE_SORTED_H
#define F2FSKIT_BASE_SORTED_H

#include <stddef.h>

typedef int sorted_compare(const void *item, const void *key);

/* Return the index of the first item whose order against the key is at least least: 0 or 1. */
static inline size_t sorted_border(const void *items, size_t count, size_t item_size, sorted_compare *compare,
				   const void *key, int least)
{
	size_t low = 0, high = count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare((const char *)items + middle * item_size, key) < least)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Return the index of the first item that is not before the key; count when all are. */
static inline size_t sorted_first(const void *items, size_t count, size_t item_size, sorted_compare *compare,
				  const void *key)
{
	return sorted_border(items, count, item_size, compare, key, 0);
}

/* Return the index of the last item that is not after the key; 0 when all are. */
static inline size_t sorted_last(const void *items, size_t count, size_t item_size, sorted_compare *compare,
				 const void *key)
{
	const size_t end = sorted_border(items, count, item_size, compare, key, 1);

	return end > 0 ? end - 1 : 0;
}

#endif
