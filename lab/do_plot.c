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

static const double MOST = 1e300; /* differences of such values are still numbers */

struct kept {
	const char *path;
	struct json tree;
	const char *metric;
	struct lab_line *lines;
	double *values;
	unsigned rounds;
};

static int wrong(struct cli *cli, const struct kept *k, const char *what, const char *which)
{
	cli_error(cli, "%s: %s%s", k->path, what, which);
	return -1;
}

/* The values of one variant, k->rounds of them. */
static int take_variant(struct cli *cli, const struct kept *k, const struct json *variant, struct lab_line *line)
{
	const struct json *label = json_member(variant, "label", JSON_STRING);
	const struct json *rounds = json_member(variant, "rounds", JSON_ARRAY);

	if (!label || !rounds || rounds->count == 0)
		return wrong(cli, k, "a variant has no label or no rounds", "");
	if (rounds->count > k->rounds)
		return wrong(cli, k, "the variants have not as many rounds each", "");
	line->label = label->text;
	line->count = (unsigned)rounds->count;
	for (size_t i = 0; i < rounds->count; i++) {
		const struct json *value = json_member(&rounds->items[i], k->metric, JSON_NUMBER);

		if (!value)
			return wrong(cli, k, "there is no metric ", k->metric);
		line->values[i] = strtod(value->text, NULL);
		if (!(fabs(line->values[i]) <= MOST))
			return wrong(cli, k, "a value is too large to be drawn: ", value->text);
	}
	return 0;
}

static int take_variants(struct cli *cli, struct kept *k, const struct json *variants)
{
	const struct json *rounds = json_member(&variants->items[0], "rounds", JSON_ARRAY);

	k->rounds = rounds ? (unsigned)rounds->count : 0;
	k->lines = calloc(variants->count, sizeof(*k->lines));
	k->values = calloc(variants->count * k->rounds + 1, sizeof(*k->values));
	if (!k->lines || !k->values)
		return wrong(cli, k, "out of memory", "");
	for (size_t i = 0; i < variants->count; i++) {
		k->lines[i].values = k->values + i * k->rounds;
		if (take_variant(cli, k, &variants->items[i], &k->lines[i]))
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
	free(k.lines);
	free(k.values);
	json_free(&k.tree);
	return rc;
}
