/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Do distances predict anything? Where all blocks are equally hot, the past of a block says nothing about its future,
 * and streams cost room and win nothing. The correlation of expected and actual values answers that, window by window.
 * Whole numbers, so that every host decides alike.
 *
 * Or do most blocks that are overwritten die young? Then the others are cold, whether or not one life predicts the
 * next: where all are as hot, a block lives as long as there are blocks, in writes, and one in 64 dies within a 64th of
 * that.
 */
#ifndef F2FSKIT_HOT_HOT_FORETELL_H
#define F2FSKIT_HOT_HOT_FORETELL_H

#include <stdbool.h>
#include <stdint.h>

#define FORETELL_WINDOW 2048 /* pairs */
#define FORETELL_YOUNG 64    /* a life is short below that part of the blocks in use */
#define FORETELL_DIE_YOUNG 25 /* percent of the overwritten ones, to say that the others are cold */
#define FORETELL_SHARE 4     /* percent of the variance that has to be explained: a correlation of 0.2 */

/* Sums over a window; values are logarithms of 24-bit numbers in 256ths, so below 2^13. */
struct hot_foretell {
	int64_t count, x, y, xx, yy, xy;
	bool holds; /* result of the last full window; before it: no */
};

static inline void hot_foretell_add(struct hot_foretell *f, uint32_t expected, uint32_t came)
{
	int64_t cov, vx, vy;

	f->x += expected;
	f->y += came;
	f->xx += (int64_t)expected * expected;
	f->yy += (int64_t)came * came;
	f->xy += (int64_t)expected * came;
	if (++f->count < FORETELL_WINDOW)
		return;
	/* below 2^26 each, so that their squares can be compared */
	cov = (f->xy - f->x * f->y / FORETELL_WINDOW) / FORETELL_WINDOW;
	vx = (f->xx - f->x * f->x / FORETELL_WINDOW) / FORETELL_WINDOW;
	vy = (f->yy - f->y * f->y / FORETELL_WINDOW) / FORETELL_WINDOW;
	*f = (struct hot_foretell){ .holds = cov > 0 && cov * cov * 100 > vx * vy * FORETELL_SHARE };
}

/* Blocks that were overwritten, in a window; those that nothing was known of had lived long. */
struct hot_young {
	uint32_t dead, young;
	bool holds; /* result of the last full window; before it: no */
};

static inline void hot_young_add(struct hot_young *y, bool died_young)
{
	y->young += died_young;
	if (++y->dead == FORETELL_WINDOW)
		*y = (struct hot_young){ .holds = y->young * 100 > FORETELL_WINDOW * FORETELL_DIE_YOUNG };
}

#endif
