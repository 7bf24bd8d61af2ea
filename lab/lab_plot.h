/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A result as a picture: one metric over the rounds, or over the blocks written, a line for each variant.
 */
#ifndef F2FSKIT_LAB_PLOT_H
#define F2FSKIT_LAB_PLOT_H

#include <stdio.h>

#include "cli/host.h"

struct lab_line {
	const char *label;
	double *values;	       /* of rounds from 1 on, or of samples */
	const double *written; /* blocks that the load had written at each sample; NULL: rounds */
	unsigned count;
};

struct lab_picture {
	const char *title, *metric;
	const struct lab_line *lines;
	unsigned count;
};

/* Write it as PNG or SVG; 0, or -1 when writing failed. */
int lab_plot(const struct lab_picture *picture, int is_png, FILE *to);
/* Does the name of a file ask for PNG? NULL does not. */
int lab_plot_is_png(const char *path);
/* Say so and return -1 when the file is to be PNG, but this build has no cairo, which draws it. */
int lab_plot_check(struct cli *cli, const char *path);

#endif
