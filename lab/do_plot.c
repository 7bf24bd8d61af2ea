/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab plot: draw a metric of a result that was kept as JSON.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/command.h"
#include "lab/json_read.h"
#include "lab/lab_plot.h"
#include "lab/outputs.h"

static const double MOST = 1e300; /* differences of such values are still numbers */

struct kept {
	const char *path;
	struct json tree;
	const char *metric;
	struct lab_line *lines;
	size_t line_count, rounds; /* those of the first variant */
};

static int wrong(struct cli *cli, const struct kept *k, const char *what, const char *which)
{
	cli_error(cli, "%s: %s%s", k->path, what, which);
	return -1;
}

static int take_number(struct cli *cli, const struct kept *k, const struct json *row, const char *name, double *out)
{
	const struct json *value = json_member(row, name, JSON_NUMBER);

	if (!value)
		return wrong(cli, k, "there is no metric ", name);
	*out = strtod(value->text, NULL);
	return fabs(*out) <= MOST ? 0 : wrong(cli, k, "a value is too large to be drawn: ", value->text);
}

/* The values of one variant: of its samples, if it has some, else of its rounds. */
static int take_variant(struct cli *cli, const struct kept *k, const struct json *variant, struct lab_line *line)
{
	const struct json *label = json_member(variant, "label", JSON_STRING);
	const struct json *rounds = json_member(variant, "rounds", JSON_ARRAY);
	const struct json *samples = json_member(variant, "samples", JSON_ARRAY);
	const struct json *rows = samples && samples->count > 0 ? samples : rounds;
	double *written;

	if (!label || !rounds || rounds->count == 0)
		return wrong(cli, k, "a variant has no label or no rounds", "");
	if (rounds->count > k->rounds)
		return wrong(cli, k, "the variants have not as many rounds each", "");
	*line = (struct lab_line){ .label = label->text, .values = calloc(2 * rows->count, sizeof(double)) };
	if (!line->values)
		return wrong(cli, k, "out of memory", "");
	line->count = (unsigned)rows->count;
	written = line->values + rows->count;
	line->written = rows == samples ? written : NULL;
	for (size_t i = 0; i < rows->count; i++)
		if (take_number(cli, k, &rows->items[i], k->metric, &line->values[i]) ||
		    (line->written && take_number(cli, k, &rows->items[i], "written", &written[i])))
			return -1;
	return 0;
}

static int take_variants(struct cli *cli, struct kept *k, const struct json *variants)
{
	const struct json *rounds = json_member(&variants->items[0], "rounds", JSON_ARRAY);

	k->rounds = rounds ? rounds->count : 0;
	k->lines = calloc(variants->count, sizeof(*k->lines));
	if (!k->lines)
		return wrong(cli, k, "out of memory", "");
	for (; k->line_count < variants->count; k->line_count++)
		if (take_variant(cli, k, &variants->items[k->line_count], &k->lines[k->line_count])) {
			free(k->lines[k->line_count].values);
			return -1;
		}
	return 0;
}

/* Write the picture to a file, or to the standard output; a partly written file is removed. */
static int draw(struct cli *cli, const struct lab_picture *picture, const char *path)
{
	const int is_stdout = !path || strcmp(path, "-") == 0;
	FILE *to = is_stdout ? stdout : fopen(path, "w");
	int rc = to ? lab_plot(picture, lab_plot_is_png(path), to) : -1;

	if (to && (is_stdout ? fflush(to) : fclose(to)) != 0)
		rc = -1;
	if (rc)
		cli_error(cli, "%s: %s", is_stdout ? "standard output" : path, strerror(errno));
	if (rc && to && !is_stdout)
		lab_forget_file(path);
	return rc;
}

int lab_do_plot(struct cli *cli, struct lab_arguments *a)
{
	struct kept k = { .path = a->operands[0] };
	const struct json *title, *plot, *variants;
	char error[160];
	int rc = -1;

	if (lab_plot_check(cli, a->plot))
		return -1;
	if (json_read(k.path, &k.tree, error)) {
		cli_error(cli, "%s: %s", k.path, error);
		json_free(&k.tree);
		return -1;
	}
	title = json_member(&k.tree, "title", JSON_STRING);
	plot = json_member(&k.tree, "plot", JSON_STRING);
	variants = json_member(&k.tree, "variants", JSON_ARRAY);
	k.metric = a->operand_count > 1 ? a->operands[1] : plot ? plot->text : "waf";
	if (!title || !variants || variants->count == 0)
		wrong(cli, &k, "is no result of an experiment", "");
	else if (!take_variants(cli, &k, variants))
		rc = draw(cli, &(struct lab_picture){ title->text, k.metric, k.lines, (unsigned)variants->count },
			  a->plot);
	for (size_t i = 0; i < k.line_count; i++)
		free(k.lines[i].values);
	free(k.lines);
	json_free(&k.tree);
	return rc;
}
