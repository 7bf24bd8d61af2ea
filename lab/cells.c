/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See cells.h. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cells.h"

#define SLAB_BYTES (1u << 20)

struct cell {
	uint64_t mask; /* which pieces follow; 0: one word follows, and the block repeats it */
	union {
		uint64_t word;
		struct cell *next; /* in a list of spare cells */
		uint8_t pieces[8];
	} u;
};

#define CELL_HEAD offsetof(struct cell, u)

static unsigned count_bits(uint64_t mask)
{
	unsigned n = 0;

	for (; mask; mask &= mask - 1)
		n++;
	return n;
}

static size_t size_of_class(unsigned pieces)
{
	return CELL_HEAD + (pieces == 0 ? sizeof(uint64_t) : (size_t)pieces * CELL_PIECE);
}

void cells_init(struct cells *cells)
{
	memset(cells, 0, sizeof(*cells));
}

void cells_fini(struct cells *cells)
{
	void *slab = cells->slabs;

	while (slab) {
		void *next;

		memcpy(&next, slab, sizeof(next));
		free(slab);
		slab = next;
	}
	cells_init(cells);
}

/* Take a new slab; the rest of the old one is lost, less than one cell. */
static int add_slab(struct cells *cells)
{
	uint8_t *slab = malloc(SLAB_BYTES);

	if (!slab)
		return -1;
	memcpy(slab, &cells->slabs, sizeof(cells->slabs));
	cells->slabs = slab;
	cells->next = slab + CELL_HEAD + sizeof(uint64_t);
	cells->end = slab + SLAB_BYTES;
	cells->bytes += SLAB_BYTES;
	return 0;
}

static struct cell *take(struct cells *cells, unsigned pieces)
{
	const size_t size = size_of_class(pieces);
	struct cell *cell = cells->spare[pieces];

	if (cell) {
		cells->spare[pieces] = cell->u.next;
		return cell;
	}
	if ((size_t)(cells->end - cells->next) < size && add_slab(cells) != 0)
		return NULL;
	cell = (struct cell *)(void *)cells->next;
	cells->next += size;
	return cell;
}

void cells_drop(struct cells *cells, struct cell *cell)
{
	unsigned pieces;

	if (!cell)
		return;
	pieces = count_bits(cell->mask);
	cell->u.next = cells->spare[pieces];
	cells->spare[pieces] = cell;
}

/* Does the block repeat its first word? Comparing it with itself, one word on, is the fastest way to see that. */
static int repeats_word(const uint8_t *block, uint64_t *word)
{
	memcpy(word, block, sizeof(*word));
	return memcmp(block, block + sizeof(*word), CELL_BLOCK - sizeof(*word)) == 0;
}

static uint64_t find_pieces(const uint8_t *block)
{
	uint64_t mask = 0;

	for (unsigned i = 0; i < CELL_BLOCK / CELL_PIECE; i++) {
		uint64_t words[CELL_PIECE / 8], any = 0;

		memcpy(words, block + (size_t)i * CELL_PIECE, CELL_PIECE);
		for (unsigned k = 0; k < CELL_PIECE / 8; k++)
			any |= words[k];
		mask |= (uint64_t)(any != 0) << i;
	}
	return mask;
}

/* Make *slot a cell with room for that many pieces. Keeps a cell of exactly that room. */
static struct cell *fit(struct cells *cells, struct cell **slot, unsigned pieces)
{
	if (*slot && count_bits((*slot)->mask) == pieces)
		return *slot;
	cells_drop(cells, *slot);
	*slot = take(cells, pieces);
	return *slot;
}

int cells_store(struct cells *cells, struct cell **slot, const uint8_t *block)
{
	struct cell *cell;
	uint64_t word, mask;
	uint8_t *to;

	if (repeats_word(block, &word)) {
		if (word == 0) {
			cells_drop(cells, *slot);
			*slot = NULL;
			return 0;
		}
		cell = fit(cells, slot, 0);
		if (!cell)
			return -1;
		cell->mask = 0;
		cell->u.word = word;
		return 0;
	}
	mask = find_pieces(block);
	cell = fit(cells, slot, count_bits(mask));
	if (!cell)
		return -1;
	cell->mask = mask;
	to = cell->u.pieces;
	for (unsigned i = 0; i < CELL_BLOCK / CELL_PIECE; i++) {
		if (mask >> i & 1) {
			memcpy(to, block + (size_t)i * CELL_PIECE, CELL_PIECE);
			to += CELL_PIECE;
		}
	}
	return 0;
}

void cells_load(const struct cell *cell, uint8_t *block)
{
	const uint8_t *from;

	if (!cell) {
		memset(block, 0, CELL_BLOCK);
		return;
	}
	if (cell->mask == 0) {
		for (unsigned i = 0; i < CELL_BLOCK; i += sizeof(cell->u.word))
			memcpy(block + i, &cell->u.word, sizeof(cell->u.word));
		return;
	}
	from = cell->u.pieces;
	for (unsigned i = 0; i < CELL_BLOCK / CELL_PIECE; i++) {
		if (cell->mask >> i & 1) {
			memcpy(block + (size_t)i * CELL_PIECE, from, CELL_PIECE);
			from += CELL_PIECE;
		} else {
			memset(block + (size_t)i * CELL_PIECE, 0, CELL_PIECE);
		}
	}
}
