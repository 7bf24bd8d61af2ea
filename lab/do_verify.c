/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab verify: measure the figures of the documents again. A run that several figures are of is run once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"
#include "lab/command.h"
#include "lab/data_files.h"
#include "lab/figures.h"
#include "lab/lab_csv.h"
#include "lab/outputs.h"
#include "lab/toml.h"

/* A run that was done: all that decides about it, as text, and its only variant. */
struct done {
	char *key;
	struct lab_result result;
	struct done *next;
};

struct verify {
	struct cli *cli;
	const struct lab_arguments *a;
	struct cli_print *print;
	FILE *csv; /* NULL: none */
	struct lab_config *config; /* the file of figures */
	struct done *done;
	unsigned char is_found[64]; /* by operand */
	unsigned figures, differing, rows;
};

/* What decides about a run. */
struct plan {
	const char *experiment, *round;
	const char *sets[LAB_FIGURE_SETS + 1];
	unsigned set_count;
	int is_small;
	char seed[48]; /* the last of sets, if there are several seeds */
};

static int wrong(struct verify *v, const struct lab_setting *s, const char *why)
{
	(void)lab_config_wrong(v->config, s, why);
	cli_error(v->cli, "%s", v->config->error);
	return -1;
}

/* Add the settings of a table, a run or a row. */
static int add_plan(struct verify *v, const char *prefix, struct plan *plan)
{
	char key[4 * LAB_NAME];
	const struct lab_setting *s;

	snprintf(key, sizeof(key), "%s.experiment", prefix);
	if ((s = lab_config_find(v->config, key)) != NULL)
		plan->experiment = s->items[0];
	snprintf(key, sizeof(key), "%s.round", prefix);
	if ((s = lab_config_find(v->config, key)) != NULL)
		plan->round = s->items[0];
	snprintf(key, sizeof(key), "%s.small", prefix);
	if ((s = lab_config_find(v->config, key)) != NULL)
		plan->is_small = strcmp(s->items[0], "true") == 0;
	snprintf(key, sizeof(key), "%s.set", prefix);
	if ((s = lab_config_find(v->config, key)) == NULL)
		return 0;
	for (unsigned i = 0; i < s->count; i++) {
		if (plan->set_count == LAB_FIGURE_SETS)
			return wrong(v, s, "has too many settings");
		plan->sets[plan->set_count++] = s->items[i];
	}
	return 0;
}

/* How a figure is measured, with a seed; 0: the experiment's. */
static int make_plan(struct verify *v, const struct lab_figure_row *row, const struct lab_figure *figure,
		     unsigned seed, struct plan *plan)
{
	char run[3 * LAB_NAME];

	*plan = (struct plan){ .round = "" };
	if (add_plan(v, row->table, plan))
		return -1;
	snprintf(run, sizeof(run), "%s.run.%s", row->table, figure->run);
	if (figure->run[0] && add_plan(v, run, plan))
		return -1;
	if (add_plan(v, row->name, plan))
		return -1;
	if (figure->round[0])
		plan->round = figure->round;
	snprintf(plan->seed, sizeof(plan->seed), "experiment.seed=%u", seed);
	if (seed > 0)
		plan->sets[plan->set_count++] = plan->seed;
	return plan->experiment ? 0 : wrong(v, row->cells, "has no experiment");
}

static char *key_of(const struct plan *plan)
{
	size_t room = strlen(plan->experiment) + 3, n;
	char *key;

	for (unsigned i = 0; i < plan->set_count; i++)
		room += strlen(plan->sets[i]) + 1;
	key = malloc(room);
	if (!key)
		return NULL;
	n = (size_t)snprintf(key, room, "%s%s", plan->experiment, plan->is_small ? "+" : "");
	for (unsigned i = 0; i < plan->set_count; i++)
		n += (size_t)snprintf(key + n, room - n, " %s", plan->sets[i]);
	return key;
}

static int run_plan(struct verify *v, const struct plan *plan, struct lab_result *result)
{
	struct lab_config config = { 0 };
	char path[LAB_PATH];
	int rc;

	lab_data_file(v->a->program, "experiments", plan->experiment, path);
	rc = lab_toml_read(&config, path);
	for (unsigned i = 0; i < plan->set_count && !rc; i++)
		rc = lab_config_set(&config, plan->sets[i]);
	if (rc)
		cli_error(v->cli, "%s", config.error);
	else
		rc = lab_experiment_run(v->cli, &config, plan->is_small, result);
	result->config.path = NULL; /* path ends here */
	lab_config_free(&config);
	return rc;
}

/* The variant that a plan runs, now or before. NULL after a message. */
static const struct lab_variant *variant_of(struct verify *v, const struct lab_figure_row *row, const struct plan *plan)
{
	char *key = key_of(plan);
	struct done *d = v->done;

	while (key && d && strcmp(d->key, key) != 0)
		d = d->next;
	if (d) {
		free(key);
		return d->result.variants;
	}
	d = calloc(1, sizeof(*d));
	if (!key || !d) {
		cli_error(v->cli, "out of memory");
		free(key);
		free(d);
		return NULL;
	}
	*d = (struct done){ .key = key, .next = v->done };
	v->done = d;
	if (run_plan(v, plan, &d->result))
		return NULL;
	if (d->result.variant_count == 1)
		return d->result.variants;
	(void)wrong(v, row->cells, "its settings leave more than one variant");
	return NULL;
}

static int measure(struct verify *v, const struct lab_figure_row *row, const struct lab_figure *figure, unsigned seed,
		   double *value)
{
	const struct lab_variant *variant;
	struct plan plan;

	if (make_plan(v, row, figure, seed, &plan))
		return -1;
	variant = variant_of(v, row, &plan);
	if (!variant)
		return -1;
	if (lab_figure_measure(variant, figure->metric, plan.round, value))
		return wrong(v, row->cells, "there is no such round or metric");
	return 0;
}

/* The row of the same table that comes first. */
static int first_row(struct verify *v, const struct lab_figure_row *row, struct lab_figure_row *first)
{
	int rc = 0;

	for (unsigned i = 0; i < v->config->count && rc >= 0; i++) {
		rc = lab_figure_row(v->config, &v->config->settings[i], first);
		if (rc > 0 && strcmp(first->table, row->table) == 0)
			return 0;
	}
	return -1;
}

static void put_figure(struct verify *v, const struct lab_figure_row *row, const char *head, const char *printed,
		       const char *measured, int is_same)
{
	cli_print_begin(v->print, NULL);
	cli_print_string(v->print, "row", row->name);
	cli_print_string(v->print, "column", head);
	cli_print_string(v->print, "printed", printed);
	cli_print_string(v->print, "measured", measured);
	cli_print_string(v->print, "result", is_same ? "same" : "differs");
	cli_print_end(v->print);
	if (v->csv) {
		const char *const fields[] = { row->name, head, printed, measured, is_same ? "same" : "differs" };

		for (unsigned i = 0; i < 5; i++)
			lab_csv_text(v->csv, fields[i], i == 0);
		putc('\n', v->csv);
	}
	v->figures++;
	v->differing += !is_same;
	if (!is_same)
		cli_error(v->cli, "%s: %s: printed %s, measured %s", row->name, head, printed, measured);
}

/* How many seeds a figure is measured with; 0: one, the experiment's. -1 after a message. */
static int seeds_of(struct verify *v, const struct lab_figure_row *row)
{
	const struct lab_setting *s = lab_figure_setting(v->config, row, "seeds");
	const long seeds = s ? strtol(s->items[0], NULL, 10) : 0;

	if (s && (seeds < 1 || seeds > LAB_FIGURE_SEEDS))
		return wrong(v, s, "is out of bounds: 1 to 64");
	return (int)seeds;
}

/* A figure, over all seeds of its row. */
static int measure_figure(struct verify *v, const struct lab_figure_row *row, const struct lab_figure *figure,
			  double *out)
{
	const int seeds = seeds_of(v, row);
	double values[LAB_FIGURE_SEEDS];
	struct lab_figure_row first;

	if (seeds < 0)
		return -1;
	for (int i = 0; i < (seeds ? seeds : 1); i++) {
		const unsigned seed = seeds ? (unsigned)i + 1 : 0;
		double base = 0;

		if (measure(v, row, figure, seed, &values[i]))
			return -1;
		if (lab_figure_compares(figure) &&
		    (first_row(v, row, &first) || measure(v, &first, figure, seed, &base)))
			return -1;
		values[i] = lab_figure_value(figure, values[i], base);
	}
	*out = lab_figure_spread(figure, values, seeds ? (unsigned)seeds : 1);
	return 0;
}

static int verify_cell(struct verify *v, const struct lab_figure_row *row, unsigned column)
{
	const struct lab_setting *tolerance = lab_figure_setting(v->config, row, "tolerance");
	const char *printed = row->cells->items[column], *values = row->values->items[column];
	char number[LAB_NAME], text[LAB_NAME];
	struct lab_figure figure;
	int rc;

	while ((rc = lab_figure_next(&values, &figure)) > 0 && lab_number_next(&printed, number)) {
		double value;

		if (measure_figure(v, row, &figure, &value))
			return -1;
		rc = lab_figure_equals(number, value, tolerance ? strtod(tolerance->items[0], NULL) : 0, text);
		put_figure(v, row, row->head->items[column], number, text, rc);
	}
	return rc < 0 ? wrong(v, row->values, "is not [least|most] [FORM] [RUN/]METRIC[@ROUND], ...") : 0;
}

/* Is a row asked for, by an operand or by its cost? */
static int is_wanted(struct verify *v, const struct lab_figure_row *row)
{
	int is_named = 0;

	for (int i = 0; i < v->a->operand_count; i++) {
		const char *name = v->a->operands[i];

		if (strcmp(name, row->name) != 0 && strcmp(name, row->table) != 0)
			continue;
		v->is_found[i] = 1;
		is_named = 1;
	}
	if (v->a->operand_count > 0)
		return is_named;
	return v->a->is_all ||
	       lab_figure_cost(v->config, row) <= (v->a->is_small ? LAB_COST_SMALL : LAB_COST_USUAL);
}

/* A row that another program measures. It is an error to ask for it by name: -2 after a message. */
static int skip_kernels(struct verify *v, const struct lab_figure_row *row)
{
	if (v->a->operand_count == 0)
		return 0;
	cli_error(v->cli, "%s is a figure of the kernel: lab/verify_kernel.py of the sources measures it", row->name);
	return -2;
}

static int verify_file(struct verify *v, const char *path)
{
	struct lab_config config = { 0 };
	int rc = lab_toml_read(&config, path);

	v->config = &config;
	if (!rc)
		rc = lab_figures_check(&config);
	for (unsigned i = 0; i < config.count && !rc; i++) {
		struct lab_figure_row row;

		rc = lab_figure_row(&config, &config.settings[i], &row);
		if (rc <= 0)
			continue;
		rc = 0;
		if (!is_wanted(v, &row))
			continue;
		if (lab_figure_is_kernels(&config, &row)) {
			rc = skip_kernels(v, &row);
			continue;
		}
		v->rows++;
		for (unsigned k = 0; k < row.cells->count && !rc; k++)
			if (verify_cell(v, &row, k))
				rc = -2; /* it has said why */
	}
	if (rc == -1)
		cli_error(v->cli, "%s", config.error);
	lab_config_free(&config);
	return rc ? -1 : 0;
}

static int verify_files(struct verify *v)
{
	char folder[LAB_PATH], path[LAB_PATH];
	struct lab_names names;
	int rc;

	lab_data_folder(v->a->program, "figures", folder);
	if (v->a->figures)
		snprintf(folder, sizeof(folder), "%s", v->a->figures);
	rc = lab_data_names(folder, &names);
	if (rc)
		cli_error(v->cli, "%s: %s", folder, strerror(errno));
	for (size_t i = 0; i < names.count && !rc; i++) {
		if ((size_t)snprintf(path, sizeof(path), "%s/%s.toml", folder, names.items[i]) >= sizeof(path))
			rc = -1;
		else
			rc = verify_file(v, path);
	}
	lab_names_free(&names);
	for (int i = 0; i < v->a->operand_count && !rc; i++)
		if (!v->is_found[i]) {
			cli_error(v->cli, "no table of figures and no row is named '%s'", v->a->operands[i]);
			rc = -1;
		}
	return rc;
}

static int open_csv(struct verify *v)
{
	if (!v->a->csv)
		return 0;
	v->csv = fopen(v->a->csv, "w");
	if (v->csv)
		fputs("row,column,printed,measured,result\n", v->csv);
	else
		cli_error(v->cli, "%s: %s", v->a->csv, strerror(errno));
	return v->csv ? 0 : -1;
}

/* A table that could not be written is removed. */
static int close_csv(struct verify *v, int rc)
{
	if (!v->csv)
		return rc;
	if (ferror(v->csv) + fclose(v->csv) != 0) {
		cli_error(v->cli, "%s: %s", v->a->csv, strerror(errno));
		rc = -1;
	}
	if (rc)
		lab_forget_file(v->a->csv);
	return rc;
}

int lab_do_verify(struct cli *cli, struct lab_arguments *a)
{
	static const struct cli_column columns[] = {
		{ "row", -32 }, { "column", -32 }, { "printed", 10 }, { "measured", 10 }, { "result", -8 }
	};
	struct verify v = { .cli = cli, .a = a };
	FILE *to = lab_open_listing(cli, a);
	int rc;

	v.print = to ? cli_print_open(to, a->json ? CLI_JSON : CLI_TEXT) : NULL;
	if (!v.print)
		return to ? lab_close_listing(cli, a, to, -1) : -1;
	cli_print_begin_table(v.print, "figures", columns, sizeof(columns) / sizeof(columns[0]));
	rc = open_csv(&v);
	if (!rc)
		rc = verify_files(&v);
	rc = close_csv(&v, rc);
	cli_print_end_array(v.print);
	if (cli_print_close(v.print))
		rc = -1;
	rc = lab_close_listing(cli, a, to, rc);
	while (v.done) {
		struct done *next = v.done->next;

		lab_result_free(&v.done->result);
		free(v.done->key);
		free(v.done);
		v.done = next;
	}
	if (!rc && v.differing)
		cli_error(cli, "%u of %u figures differ", v.differing, v.figures);
	return rc || v.differing ? -1 : 0;
}
