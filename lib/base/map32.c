/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hash map of 32-bit keys. Grows at three quarters full; removal shifts later entries of the run back, so there are no
 * tombstones.
 */
#include "base/map32.h"

struct map32_slot {
	uint32_t key;
	bool is_used;
	uint64_t value;
};

static size_t home_of(const struct map32 *m, uint32_t key)
{
	return (size_t)((key * 0x9E3779B97F4A7C15u) >> 32) & (m->room - 1);
}

void map32_init(struct map32 *m, struct f2fs_context *ctx)
{
	m->ctx = ctx;
	m->slots = NULL;
	m->count = 0;
	m->room = 0;
}

void map32_fini(struct map32 *m)
{
	mem_free(m->ctx, m->slots);
	map32_init(m, m->ctx);
}

static struct map32_slot *probe(const struct map32 *m, uint32_t key)
{
	size_t i = home_of(m, key);

	while (m->slots[i].is_used && m->slots[i].key != key)
		i = (i + 1) & (m->room - 1);
	return &m->slots[i];
}

uint64_t *map32_find(const struct map32 *m, uint32_t key)
{
	struct map32_slot *slot;

	if (!m->room)
		return NULL;
	slot = probe(m, key);
	return slot->is_used ? &slot->value : NULL;
}

static int grow(struct map32 *m)
{
	struct map32 bigger = *m;
	size_t room = m->room ? m->room * 2 : 64;

	bigger.slots = mem_calloc(m->ctx, room, sizeof(*bigger.slots));
	if (!bigger.slots)
		return F2FS_ERR_NOMEM;
	bigger.room = room;
	for (size_t i = 0; i < m->room; i++)
		if (m->slots[i].is_used)
			*probe(&bigger, m->slots[i].key) = m->slots[i];
	mem_free(m->ctx, m->slots);
	*m = bigger;
	return 0;
}

int map32_set(struct map32 *m, uint32_t key, uint64_t value)
{
	struct map32_slot *slot;

	if ((m->count + 1) * 4 > m->room * 3) {
		int err = grow(m);

		if (err)
			return err;
	}
	slot = probe(m, key);
	m->count += !slot->is_used;
	*slot = (struct map32_slot){ .key = key, .is_used = true, .value = value };
	return 0;
}

void map32_remove(struct map32 *m, uint32_t key)
{
	struct map32_slot *slot;
	size_t hole, i;

	if (!m->room)
		return;
	slot = probe(m, key);
	if (!slot->is_used)
		return;
	hole = (size_t)(slot - m->slots);
	for (i = (hole + 1) & (m->room - 1); m->slots[i].is_used; i = (i + 1) & (m->room - 1)) {
		size_t home = home_of(m, m->slots[i].key);

		/* may entry i move to the hole, that is, is its home not in (hole, i]? */
		if (((i - home) & (m->room - 1)) >= ((i - hole) & (m->room - 1))) {
			m->slots[hole] = m->slots[i];
			hole = i;
		}
	}
	m->slots[hole].is_used = false;
	m->count--;
}

bool map32_each(const struct map32 *m, size_t *at, uint32_t *key, uint64_t *value)
{
	while (*at < m->room) {
		const struct map32_slot *slot = &m->slots[(*at)++];

		if (!slot->is_used)
			continue;
		*key = slot->key;
		*value = slot->value;
		return true;
	}
	return false;
}
