/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Blocks of 4 KiB in little memory: of each block only those pieces of 64 bytes are kept that are not zero, and of a
 * block that repeats one 64-bit word only the word. Blocks of zeros take nothing.
 */
#ifndef F2FSKIT_LAB_CELLS_H
#define F2FSKIT_LAB_CELLS_H

#include <stdint.h>

#define CELL_BLOCK 4096u  /* bytes of a block */
#define CELL_PIECE 64u	  /* bytes of a piece */
#define CELL_CLASSES 65u  /* cells with 0 (one word) to 64 pieces */

struct cell;

/* The memory of all cells of one device: slabs that are cut up, and a list of free cells for each number of pieces. */
struct cells {
	void *slabs;
	uint8_t *next, *end; /* the free part of the newest slab */
	struct cell *spare[CELL_CLASSES];
	uint64_t bytes; /* taken by slabs */
};

/* Begin without any cell. */
void cells_init(struct cells *cells);
/* Give all memory back; every cell is gone. */
void cells_fini(struct cells *cells);
/*
 * Let *slot stand for the contents of block: it is NULL for zeros. What *slot held before is reused or given back.
 * Return 0, or -1 when there is no memory; *slot is NULL then.
 */
int cells_store(struct cells *cells, struct cell **slot, const uint8_t *block);
/* Give back a cell; NULL is allowed. */
void cells_drop(struct cells *cells, struct cell *cell);
/* Write the contents of a cell to block; NULL: zeros. */
void cells_load(const struct cell *cell, uint8_t *block);

#endif
