/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See map_cache.h. */
#include <stdlib.h>
#include <string.h>

#include "map_cache.h"

static const struct map_list empty_list = { MAP_CACHE_NONE, MAP_CACHE_NONE, 0 };

int map_cache_init(struct map_cache *cache, uint32_t pages, uint32_t most)
{
	*cache = (struct map_cache){ .most = most < pages ? most : pages };
	cache->probation = cache->guarded = empty_list;
	cache->slot = malloc(pages * sizeof(*cache->slot));
	cache->entries = malloc(cache->most * sizeof(*cache->entries));
	if (!cache->slot || !cache->entries) {
		map_cache_fini(cache);
		return -1;
	}
	memset(cache->slot, 0xff, pages * sizeof(*cache->slot));
	return 0;
}

void map_cache_fini(struct map_cache *cache)
{
	free(cache->slot);
	free(cache->entries);
	memset(cache, 0, sizeof(*cache));
}

static struct map_list *list_of(struct map_cache *cache, const struct map_entry *entry)
{
	return entry->is_protected ? &cache->guarded : &cache->probation;
}

static void leave(struct map_cache *cache, uint32_t at)
{
	const struct map_entry *entry = &cache->entries[at];
	struct map_list *list = list_of(cache, entry);

	if (entry->older == MAP_CACHE_NONE)
		list->oldest = entry->newer;
	else
		cache->entries[entry->older].newer = entry->newer;
	if (entry->newer == MAP_CACHE_NONE)
		list->newest = entry->older;
	else
		cache->entries[entry->newer].older = entry->older;
	list->count--;
}

static void join(struct map_cache *cache, uint32_t at, uint8_t is_protected)
{
	struct map_entry *entry = &cache->entries[at];
	struct map_list *list;

	entry->is_protected = is_protected;
	list = list_of(cache, entry);
	entry->older = list->newest;
	entry->newer = MAP_CACHE_NONE;
	if (list->newest == MAP_CACHE_NONE)
		list->oldest = at;
	else
		cache->entries[list->newest].newer = at;
	list->newest = at;
	list->count++;
}

int map_cache_use(struct map_cache *cache, uint32_t logical)
{
	const uint32_t at = cache->slot[logical];

	if (at == MAP_CACHE_NONE)
		return 0;
	leave(cache, at);
	join(cache, at, 1);
	if (cache->guarded.count > cache->most / 2) {
		const uint32_t oldest = cache->guarded.oldest;

		leave(cache, oldest);
		join(cache, oldest, 0);
	}
	return 1;
}

/* More than half of a full cache is on probation, so there is one. */
uint32_t map_cache_next(const struct map_cache *cache)
{
	return cache->used < cache->most ? MAP_CACHE_NONE : cache->entries[cache->probation.oldest].logical;
}

void map_cache_add(struct map_cache *cache, uint32_t logical)
{
	uint32_t at = cache->used;

	if (at == cache->most) {
		at = cache->probation.oldest;
		leave(cache, at);
		cache->slot[cache->entries[at].logical] = MAP_CACHE_NONE;
	} else {
		cache->used++;
	}
	cache->entries[at].logical = logical;
	cache->slot[logical] = at;
	join(cache, at, 0);
}
