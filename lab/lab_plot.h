/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A result as a picture: one metric over the rounds, a line for each variant.
 */
#ifndef F2FSKIT_LAB_PLOT_H
#define F2FSKIT_LAB_PLOT_H

#include <stdio.h>

#include "lab/experiment.h"

/* Write the experiment's metric (experiment.plot) as SVG; 0, or -1 when writing failed. */
int lab_plot(const struct lab_result *result, FILE *to);

#endif
