/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * f2fs-lab run: from the arguments to an experiment and its report.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lab/command.h"
#include "lab/data_files.h"
#include "lab/lab_csv.h"
#include "lab/lab_plot.h"
#include "lab/lab_report.h"
#include "lab/outputs.h"
#include "lab/toml.h"

static int read_settings(struct cli *cli, const struct lab_arguments *a, const char *path, struct lab_config *config)
{
	char seed[64], policy[LAB_PATH + 32];
	int rc = lab_toml_read(config, path);

	if (!rc && a->policy) {
		snprintf(policy, sizeof(policy), "engine.policy=%s", a->policy);
		rc = lab_config_set(config, policy) || lab_config_set(config, "engine.placement=none");
	}
	for (unsigned i = 0; i < a->set_count && !rc; i++)
		rc = lab_config_set(config, a->sets[i]);
	if (!rc && a->seed) {
		snprintf(seed, sizeof(seed), "experiment.seed=%.32s", a->seed);
		rc = lab_config_set(config, seed);
	}
	if (rc)
		cli_error(cli, "%s", config->error);
	return rc;
}

static int put_json(const struct lab_result *result, FILE *to)
{
	return lab_report(result, to, 1);
}

/* The experiment's metric over the samples, or over the rounds; the line has room for them. */
static void fill_line(const struct lab_variant *v, const char *metric, double *values, double *written,
		      struct lab_line *line)
{
	const int index = lab_metric_find(metric), has_samples = v->sample_blocks > 0 && index >= 0;
	int decimals;

	*line = (struct lab_line){ v->label, values, has_samples ? written : NULL,
				   has_samples ? v->sample_count : v->round_count };
	for (unsigned k = 0; k < line->count; k++) {
		if (has_samples) {
			values[k] = v->samples[k].values[index];
			written[k] = (double)v->samples[k].written;
		} else {
			(void)lab_variant_value(v, metric, k + 1, &values[k], &decimals);
		}
	}
}

/* A line for each variant. */
static int put_picture(const struct lab_result *result, int is_png, FILE *to)
{
	struct lab_line *lines = calloc(result->variant_count, sizeof(*lines));
	const struct lab_picture picture = { result->about.title, result->about.plot, lines, result->variant_count };
	int rc = lines ? 0 : -1;

	for (unsigned i = 0; i < result->variant_count && !rc; i++) {
		const struct lab_variant *v = &result->variants[i];
		const size_t room = v->round_count + (size_t)v->sample_count + 1;
		double *values = calloc(2 * room, sizeof(double));

		rc = values ? 0 : -1;
		if (values)
			fill_line(v, picture.metric, values, values + room, &lines[i]);
	}
	if (!rc)
		rc = lab_plot(&picture, is_png, to);
	for (unsigned i = 0; lines && i < result->variant_count; i++)
		free(lines[i].values);
	free(lines);
	return rc;
}

static int put_svg(const struct lab_result *result, FILE *to)
{
	return put_picture(result, 0, to);
}

static int put_png(const struct lab_result *result, FILE *to)
{
	return put_picture(result, 1, to);
}

/* Write to a file by its name. A partly written file is removed. */
static int write_file(struct cli *cli, const char *path, const struct lab_result *result,
		      int (*put)(const struct lab_result *result, FILE *to))
{
	FILE *to = fopen(path, "w");
	int rc = to ? put(result, to) : -1;

	if (to && fclose(to) != 0)
		rc = -1;
	if (rc)
		cli_error(cli, "%s: %s", path, strerror(errno));
	if (rc && to)
		lab_forget_file(path);
	return rc;
}

static int write_results(struct cli *cli, const struct lab_arguments *a, const struct lab_result *result)
{
	const int is_stdout = a->json && strcmp(a->json, "-") == 0;
	int rc = lab_report(result, stdout, is_stdout);

	if (!rc && a->json && !is_stdout)
		rc = write_file(cli, a->json, result, put_json);
	if (!rc && a->csv)
		rc = write_file(cli, a->csv, result, lab_csv_report);
	if (!rc && a->plot)
		rc = write_file(cli, a->plot, result, lab_plot_is_png(a->plot) ? put_png : put_svg);
	return rc;
}

static int open_trace(struct cli *cli, const char *path, struct lab_trace_writer *trace)
{
	FILE *to = fopen(path, "wb");

	if (to)
		lab_trace_begin(trace, to);
	else
		cli_error(cli, "%s: %s", path, strerror(errno));
	return to ? 0 : -1;
}

/* A trace that is not whole is removed. */
static int close_trace(struct cli *cli, const char *path, struct lab_trace_writer *trace, int rc)
{
	const int is_bad = ferror(trace->to);

	if ((fclose(trace->to) != 0 || is_bad) && !rc) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		rc = -1;
	}
	if (rc)
		lab_forget_file(path);
	return rc;
}

int lab_do_run(struct cli *cli, struct lab_arguments *a)
{
	struct lab_config config = { 0 };
	struct lab_result result = { 0 };
	char path[LAB_PATH];
	struct lab_trace_writer trace = { 0 };
	int rc;

	lab_data_file(a->program, "experiments", a->operands[0], path);
	rc = read_settings(cli, a, path, &config);
	if (!rc)
		rc = lab_plot_check(cli, a->plot);
	if (!rc && a->trace)
		rc = open_trace(cli, a->trace, &trace);
	result.trace = trace.to ? &trace : NULL;
	if (!rc)
		rc = lab_experiment_run(cli, &config, a->is_small, &result);
	if (trace.to)
		rc = close_trace(cli, a->trace, &trace, rc);
	if (!rc)
		rc = write_results(cli, a, &result);
	lab_result_free(&result);
	lab_config_free(&config);
	return rc;
}
