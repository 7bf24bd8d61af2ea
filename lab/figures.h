/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Figures of the documents: tables whose rows say how they are measured. A file of figures (TOML as toml.h has it) has
 *
 *	[TABLE]		head (titles of columns), values (how a column is measured), and settings for all rows
 *	[TABLE.run.NAME] settings of a column that is of another run
 *	[TABLE.ROW]	cells (as printed), and settings of the row
 *
 * Settings are experiment, set (a list of KEY=VALUE), small, round and seeds. A row's come after its run's, these
 * after the table's. With seeds = N a figure is measured with the seeds 1 to N, and is the mean. Documents are written
 * from head and cells alone (docs/make_figures.py). The k-th number of a cell is measured by the k-th value of its
 * column. Values are separated by commas, and each is
 *
 *	[least|most] [FORM] [RUN/]METRIC[@ROUND]
 *
 * ROUND is a number, FIRST-LAST or all: over several rounds, metrics are of the mean round. FORM is a row of
 * figure_forms.def. least and most are of the seeds.
 *
 * lab/verify_kernel.py measures tables with engine = "kernel". It explains their settings systems, requests and
 * slack, and their values.
 */
#ifndef F2FSKIT_LAB_FIGURES_H
#define F2FSKIT_LAB_FIGURES_H

#include "lab/config.h"
#include "lab/experiment.h"

enum { LAB_NAME = 96, LAB_FIGURE_SETS = 32, LAB_FIGURE_SEEDS = 64 };

struct lab_figure_row {
	const struct lab_setting *cells, *head, *values;
	char table[LAB_NAME], name[LAB_NAME]; /* name: TABLE.ROW */
};

enum lab_cost { LAB_COST_SMALL, LAB_COST_USUAL, LAB_COST_SLOW };

/* Take a row from its setting "TABLE.ROW.cells". 1, or 0 when @setting is another one, or -1 with config->error. */
int lab_figure_row(struct lab_config *config, struct lab_setting *setting, struct lab_figure_row *out);
/* Find a setting of a row, else of its table; NULL when there is none. */
struct lab_setting *lab_figure_setting(struct lab_config *config, const struct lab_figure_row *row, const char *key);
/* Is a row measured in the kernel, by another program? */
int lab_figure_is_kernels(struct lab_config *config, const struct lab_figure_row *row);
enum lab_cost lab_figure_cost(struct lab_config *config, const struct lab_figure_row *row);
/* Refuse keys that no table, run or row has. 0, or -1 with config->error. */
int lab_figures_check(struct lab_config *config);

/* How a figure is measured. */
enum lab_spread { LAB_SPREAD_MEAN, LAB_SPREAD_LEAST, LAB_SPREAD_MOST };
struct lab_figure {
	enum lab_spread spread;
	int form; /* of figure_forms.def */
	char run[LAB_NAME], metric[LAB_NAME], round[LAB_NAME];
};
/* Take the value at *text, and move past it. 1, or 0 at the end, or -1 when it makes no sense. */
int lab_figure_next(const char **text, struct lab_figure *out);
/* Take the number at *text, and move past it. 1, or 0 when there is none left. */
int lab_number_next(const char **text, char number[LAB_NAME]);
/* Does the form compare with the first row? */
int lab_figure_compares(const struct lab_figure *figure);
/* The figure from a metric, and the same metric in the first row. */
double lab_figure_value(const struct lab_figure *figure, double measured, double first);
/* One number from those of several seeds. */
double lab_figure_spread(const struct lab_figure *figure, const double *values, unsigned count);
/* Is it the printed number, at its decimals? tolerance is a part of it, 0 for none. measured is shown in text. */
int lab_figure_equals(const char *printed, double measured, double tolerance, char text[LAB_NAME]);
/* A metric over rounds; round is empty for the last one. 0, or -1 when there is no such round or metric. */
int lab_figure_measure(const struct lab_variant *variant, const char *metric, const char *round, double *value);

#endif
