/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The cached part of a mapping table: which entries are in memory. It is a segmented LRU list: an entry is on probation
 * until it is used again, then protected. The protected ones are half of all at most. The one that is evicted is the
 * entry on probation that was not used for the longest time.
 */
#ifndef F2FSKIT_LAB_FTL_MAP_CACHE_H
#define F2FSKIT_LAB_FTL_MAP_CACHE_H

#include <stdint.h>

#define MAP_CACHE_NONE UINT32_MAX

struct map_entry {
	uint32_t logical;
	uint32_t older, newer; /* in its list */
	uint8_t is_protected;
};

struct map_list {
	uint32_t oldest, newest, count;
};

struct map_cache {
	uint32_t most, used;
	uint32_t *slot; /* [pages]: the entry of a page, or MAP_CACHE_NONE */
	struct map_entry *entries;
	struct map_list probation, guarded;
};

/* Make an empty one for up to `most` entries of `pages` pages. Return 0, or -1 when there is no memory. */
int map_cache_init(struct map_cache *cache, uint32_t pages, uint32_t most);
/* All zeros is allowed. */
void map_cache_fini(struct map_cache *cache);
/* Use the entry of a page, if it is cached; return whether it is. */
int map_cache_use(struct map_cache *cache, uint32_t logical);
/* Return the page whose entry must leave before another one comes, or MAP_CACHE_NONE: there is room. It stays. */
uint32_t map_cache_next(const struct map_cache *cache);
/* Take in the entry of a page, on probation, in the place of map_cache_next(). */
void map_cache_add(struct map_cache *cache, uint32_t logical);

static inline int map_cache_has(const struct map_cache *cache, uint32_t logical)
{
	return cache->slot[logical] != MAP_CACHE_NONE;
}

#endif
