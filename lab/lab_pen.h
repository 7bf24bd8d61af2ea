/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Draw a picture: lines, dots and text on white. Positions are pixels from the upper left corner.
 */
#ifndef F2FSKIT_LAB_PEN_H
#define F2FSKIT_LAB_PEN_H

#include <stdint.h>
#include <stdio.h>

/* Colours that people with any colour vision can distinguish (Okabe and Ito), then those of the grid and of text:
 * COLOUR(r, g, b) */
#define LAB_COLOURS(COLOUR)                                                                                            \
	COLOUR(0x00, 0x72, 0xb2)                                                                                       \
	COLOUR(0xd5, 0x5e, 0x00)                                                                                       \
	COLOUR(0x00, 0x9e, 0x73)                                                                                       \
	COLOUR(0xcc, 0x79, 0xa7)                                                                                       \
	COLOUR(0xe6, 0x9f, 0x00)                                                                                       \
	COLOUR(0x56, 0xb4, 0xe9)                                                                                       \
	COLOUR(0x00, 0x00, 0x00)                                                                                       \
	COLOUR(0x99, 0x99, 0x99)                                                                                       \
	COLOUR(0xdd, 0xdd, 0xdd)                                                                                       \
	COLOUR(0x00, 0x00, 0x00)
enum { LAB_COLOUR_LINES = 8, LAB_COLOUR_GRID = LAB_COLOUR_LINES, LAB_COLOUR_TEXT };

enum lab_anchor { LAB_ANCHOR_START, LAB_ANCHOR_MIDDLE, LAB_ANCHOR_END };

struct lab_point {
	double x, y;
};

struct lab_pen {
	FILE *to;
	unsigned width, height;
	void *drawing; /* of a PNG: cairo's */
	/* begin and end: 0, or -1 with errno; end is called when begin succeeded, and frees all */
	int (*begin)(struct lab_pen *pen);
	void (*line)(struct lab_pen *pen, unsigned colour, unsigned width, struct lab_point from, struct lab_point to);
	void (*dot)(struct lab_pen *pen, unsigned colour, struct lab_point at);
	void (*text)(struct lab_pen *pen, struct lab_point at, enum lab_anchor anchor, unsigned size, const char *text);
	int (*end)(struct lab_pen *pen);
};

extern const struct lab_pen lab_pen_svg, lab_pen_png;

#endif
