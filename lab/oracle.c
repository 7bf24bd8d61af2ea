/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the best choice of victims for tiny cases; see oracle.h. A search runs through the trace until cleaning is
 * needed, and then tries every full section within its limit of moves: none, then one, then two. The future depends
 * only on the time and the state, so each state stores the limits that were too low. Full sections have no names and
 * are kept sorted.
 */
#include <stdlib.h>
#include <string.h>

#include "cleaner.h"
#include "oracle.h"

#define MOST_SECTIONS 12u
#define MOST_BLOCKS 8u
#define DEAD 0xffu
#define MIN_FREE 2u
#define SLOTS (1u << 19)

/* Sections: the user's head, that of moved blocks, and the full ones, sorted; of each the valid blocks in order. */
struct state {
	uint32_t time;
	uint8_t free, full;	 /* numbers of sections */
	uint8_t begun[2], at[2]; /* of the heads: is there a section, how many blocks are in it */
	uint8_t head[2][MOST_BLOCKS];
	uint8_t sections[MOST_SECTIONS][MOST_BLOCKS];
	uint8_t unused[2]; /* states are compared byte by byte, so there must be no gap that the compiler fills */
};
_Static_assert(sizeof(struct state) == 4 + 2 + 4 + (2 + MOST_SECTIONS) * MOST_BLOCKS + 2, "a state has gaps");

struct known {
	struct state state;
	uint32_t too_few; /* fewer moves than this do not lead to the end from here; 0: the entry is empty */
};

struct search {
	const uint32_t *trace;
	size_t count;
	uint32_t n;
	struct known *table; /* [SLOTS], by hash, the next one when it is taken */
	uint32_t states;
	int is_too_large;
};

static uint32_t hash(const struct state *state)
{
	const uint8_t *bytes = (const uint8_t *)state;
	uint64_t h = 14695981039346656037u;

	for (size_t i = 0; i < sizeof(*state); i++)
		h = (h ^ bytes[i]) * 1099511628211u;
	return (uint32_t)(h ^ h >> 32) % SLOTS;
}

/* Return the entry of a state, or the empty one where it belongs. */
static struct known *look_up(struct search *search, const struct state *state)
{
	uint32_t slot = hash(state);

	while (search->table[slot].too_few && memcmp(&search->table[slot].state, state, sizeof(*state)) != 0)
		slot = (slot + 1) % SLOTS;
	return &search->table[slot];
}

/* Take a block out. Where the gaps are makes no difference, so there are none: more states are alike. */
static void kill_in(uint8_t *blocks, uint8_t logical)
{
	uint8_t *found = memchr(blocks, logical, MOST_BLOCKS);

	if (!found)
		return;
	memmove(found, found + 1, (size_t)(blocks + MOST_BLOCKS - (found + 1)));
	blocks[MOST_BLOCKS - 1] = DEAD;
}

static void invalidate(struct state *state, uint8_t logical)
{
	kill_in(state->head[0], logical);
	kill_in(state->head[1], logical);
	for (uint8_t i = 0; i < state->full; i++)
		kill_in(state->sections[i], logical);
}

static void append(const struct search *search, struct state *state, unsigned head, uint8_t logical)
{
	if (state->begun[head] && state->at[head] == search->n) {
		memcpy(state->sections[state->full++], state->head[head], MOST_BLOCKS);
		state->begun[head] = 0;
	}
	if (!state->begun[head]) {
		memset(state->head[head], DEAD, MOST_BLOCKS);
		state->begun[head] = 1;
		state->at[head] = 0;
		state->free--;
	}
	*(uint8_t *)memchr(state->head[head], DEAD, MOST_BLOCKS) = logical;
	state->at[head]++;
}

/* Empty a full section; return how many blocks moved. */
static uint32_t clean(const struct search *search, struct state *state, uint8_t victim)
{
	uint8_t blocks[MOST_BLOCKS];
	uint32_t moves = 0;

	memcpy(blocks, state->sections[victim], MOST_BLOCKS);
	memcpy(state->sections[victim], state->sections[--state->full], MOST_BLOCKS);
	memset(state->sections[state->full], 0, MOST_BLOCKS);
	for (uint32_t i = 0; i < search->n; i++) {
		if (blocks[i] != DEAD) {
			append(search, state, 1, blocks[i]);
			moves++;
		}
	}
	state->free++;
	return moves;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, MOST_BLOCKS);
}

/* Advance to the next cleaning, or to the end. */
static void advance(const struct search *search, struct state *state)
{
	while (state->time < search->count && state->free >= MIN_FREE) {
		const uint8_t logical = (uint8_t)search->trace[state->time++];

		invalidate(state, logical);
		append(search, state, 0, logical);
	}
	qsort(state->sections, state->full, MOST_BLOCKS, compare);
}

/* Can the end be reached from a state with at most `moves` moves? */
static int is_possible(struct search *search, const struct state *from, uint32_t budget)
{
	struct state state = *from;
	struct known *known;

	advance(search, &state);
	if (state.free >= MIN_FREE)
		return 1;
	known = look_up(search, &state);
	if (known->too_few > budget)
		return 0;
	for (uint8_t i = 0; i < state.full && !search->is_too_large; i++) {
		struct state next = state;
		uint32_t moves;

		if (i > 0 && memcmp(state.sections[i], state.sections[i - 1], MOST_BLOCKS) == 0)
			continue;
		moves = clean(search, &next, i);
		if (moves < search->n && moves <= budget && is_possible(search, &next, budget - moves))
			return 1;
	}
	known = look_up(search, &state);
	if (known->too_few == 0 && ++search->states > SLOTS / 4 * 3)
		search->is_too_large = 1;
	else
		*known = (struct known){ .state = state, .too_few = budget + 1 };
	return 0;
}

int lab_optimal_moves(const struct lab_space *space, const uint32_t *trace, size_t count, uint64_t *moves)
{
	struct search search = { .trace = trace, .count = count, .n = space->section_blocks };
	const uint32_t most = (uint32_t)count * space->section_blocks;
	struct state start;
	uint32_t budget = 0;

	memset(&start, 0, sizeof(start));
	if (space->sections > MOST_SECTIONS || space->section_blocks > MOST_BLOCKS || space->logical > 250)
		return -2;
	search.table = calloc(SLOTS, sizeof(*search.table));
	if (!search.table)
		return -1;
	start.free = (uint8_t)space->sections;
	while (budget <= most && !search.is_too_large && !is_possible(&search, &start, budget))
		budget++;
	free(search.table);
	*moves = budget;
	return search.is_too_large || budget > most ? -2 : 0;
}
