/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing results: text has the columns that the experiment chose, JSON all metrics and histograms.
 */
#include "lab/lab_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/print.h"

/* Classes of blocks in use in a segment, by their upper ends. */
static const unsigned classes[] = { 0, 64, 128, 192, 256, 320, 384, 448, 511, 512 };
enum { CLASSES = sizeof(classes) / sizeof(classes[0]) };

static void class_name(unsigned i, char name[16])
{
	if (i == 0 || classes[i] == classes[i - 1] + 1)
		snprintf(name, 16, "%u", classes[i]);
	else
		snprintf(name, 16, "%u-%u", classes[i - 1] + 1, classes[i]);
}

static uint64_t in_class(const uint32_t *counts, unsigned i)
{
	uint64_t n = 0;

	for (unsigned k = i ? classes[i - 1] + 1 : 0; k <= classes[i]; k++)
		n += counts[k];
	return n;
}

static void put_values(struct cli_print *p, const struct lab_variant *v, uint64_t round)
{
	const struct lab_metric_row *row;
	double value;
	int decimals;

	for (unsigned i = 0; (row = lab_metric_at(i)) != NULL; i++)
		cli_print_fixed(p, row->name, v->rounds[round - 1].values[i], row->decimals);
	if (!lab_variant_value(v, "waf_relative", round, &value, &decimals))
		cli_print_fixed(p, "waf_relative", value, decimals);
}

static void put_histogram(struct cli_print *p, const char *name, const uint64_t *counts, unsigned n)
{
	cli_print_begin_array(p, name);
	for (unsigned i = 0; i < n; i++)
		cli_print_u64(p, NULL, counts[i]);
	cli_print_end_array(p);
}

static void put_round_json(struct cli_print *p, const struct lab_variant *v, uint64_t round)
{
	const struct lab_sample *d = &v->rounds[round - 1].counts;

	cli_print_begin(p, NULL);
	cli_print_u64(p, "round", round);
	put_values(p, v, round);
	put_histogram(p, "write_sizes", d->seen.sizes, F2FS_COUNTER_SIZES);
	put_histogram(p, "discard_sizes", d->seen.discard_sizes, LAB_DISCARD_SIZES);
	cli_print_begin(p, "causes");
	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++)
		cli_print_u64(p, f2fs_write_cause_name(i), d->said.bytes[i]);
	cli_print_end(p);
	cli_print_end(p);
}

static void put_samples_json(struct cli_print *p, const struct lab_variant *v)
{
	if (v->sample_blocks == 0)
		return;
	cli_print_begin_array(p, "samples");
	for (unsigned i = 0; i < v->sample_count; i++) {
		const struct lab_metric_row *row;

		cli_print_begin(p, NULL);
		cli_print_u64(p, "round", v->samples[i].round);
		cli_print_u64(p, "written", v->samples[i].written);
		for (unsigned k = 0; (row = lab_metric_at(k)) != NULL; k++)
			cli_print_fixed(p, row->name, v->samples[i].values[k], row->decimals);
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

static void put_fullness_json(struct cli_print *p, const struct lab_fullness *full)
{
	cli_print_begin_array(p, "segments");
	for (unsigned i = 1; i < CLASSES; i++) {
		char name[16];

		class_name(i, name);
		cli_print_begin(p, NULL);
		cli_print_string(p, "used_blocks", name);
		cli_print_u64(p, "data", in_class(full->data, i));
		cli_print_u64(p, "node", in_class(full->node, i));
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

/* The value of ours that a paper's stands beside. */
static const struct lab_variant *variant_of(const struct lab_result *r, const struct lab_paper_value *paper)
{
	for (unsigned i = 0; i < r->variant_count; i++) {
		const struct lab_variant *v = &r->variants[i];
		const char *at = paper->where[0] ? strstr(v->label, paper->where) : v->label;
		const size_t n = strlen(paper->where);

		/* a whole part of the label: "size=20GB logging=normal" */
		if (at && (at == v->label || at[-1] == ' ') && (n == 0 || at[n] == '\0' || at[n] == ' '))
			return v;
	}
	return NULL;
}

static void put_paper(struct cli_print *p, const struct lab_result *r)
{
	static const struct cli_column columns[] = { { "where", -34 }, { "metric", -18 }, { "round", 5 },
						     { "ours", 10 },   { "paper", -12 },  { "words", -20 } };

	if (r->paper_count == 0)
		return;
	if (cli_print_is_text(p))
		cli_print_heading(p, "\nBeside the paper:");
	cli_print_begin_table(p, "paper_values", columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < r->paper_count; i++) {
		const struct lab_paper_value *paper = &r->paper[i];
		const struct lab_variant *v = variant_of(r, paper);
		const uint64_t round = paper->round ? paper->round : v ? v->round_count : 0;
		double value;
		int decimals;

		cli_print_begin(p, NULL);
		cli_print_string(p, "where", paper->where[0] ? paper->where : "-");
		cli_print_string(p, "metric", paper->metric[0] ? paper->metric : "-");
		cli_print_u64(p, "round", round);
		if (v && !lab_variant_value(v, paper->metric, round, &value, &decimals))
			cli_print_fixed(p, "ours", value, decimals);
		else
			cli_print_null(p, "ours");
		cli_print_string(p, "paper", paper->value[0] ? paper->value : "-");
		cli_print_string(p, "words", paper->words);
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

static void put_json(struct cli_print *p, const struct lab_result *r)
{
	cli_print_begin_array(p, "variants");
	for (unsigned i = 0; i < r->variant_count; i++) {
		const struct lab_variant *v = &r->variants[i];

		cli_print_begin_element(p);
		cli_print_string(p, "label", v->label);
		cli_print_fixed(p, "used_share", v->used_share, 4);
		cli_print_fixed(p, "fill_waf", v->fill_waf, 4);
		if (v->baseline_waf > 0)
			cli_print_fixed(p, "baseline_waf", v->baseline_waf, 4);
		cli_print_begin_array(p, "rounds");
		for (uint64_t k = 1; k <= v->round_count; k++)
			put_round_json(p, v, k);
		cli_print_end_array(p);
		put_samples_json(p, v);
		put_fullness_json(p, &v->rounds[v->round_count - 1].counts.full);
		cli_print_end(p);
	}
	cli_print_end_array(p);
}

static void put_rounds(struct cli_print *p, const struct lab_result *r)
{
	static const char *const standard[] = { "waf", "moved_share", "threaded_share", "free_segments" };
	const char *const *names = r->column_count ? r->columns : standard;
	const unsigned count = r->column_count ? r->column_count : 4;
	struct cli_column columns[LAB_COLUMNS + 2] = { { "variant", -34 }, { "round", 5 } };

	for (unsigned i = 0; i < count; i++) {
		const int width = (int)strlen(names[i]);

		columns[i + 2] = (struct cli_column){ names[i], width > 10 ? width : 10 };
	}
	cli_print_begin_table(p, "rounds", columns, count + 2);
	for (unsigned i = 0; i < r->variant_count; i++) {
		const struct lab_variant *v = &r->variants[i];

		for (uint64_t k = 1; k <= v->round_count; k++) {
			cli_print_begin(p, NULL);
			cli_print_string(p, "variant", v->label[0] ? v->label : "-");
			cli_print_u64(p, "round", k);
			for (unsigned c = 0; c < count; c++) {
				double value;
				int decimals;

				if (lab_variant_value(v, names[c], k, &value, &decimals))
					cli_print_null(p, names[c]);
				else
					cli_print_fixed(p, names[c], value, decimals);
			}
			cli_print_end(p);
		}
	}
	cli_print_end_array(p);
}

static void put_fullness(struct cli_print *p, const struct lab_result *r)
{
	struct cli_column columns[2 + CLASSES] = { { "variant", -34 }, { "kind", -5 } };
	char names[CLASSES][16];

	for (unsigned i = 1; i < CLASSES; i++) {
		class_name(i, names[i]);
		columns[i + 1] = (struct cli_column){ names[i], 8 };
	}
	cli_print_heading(p, "\nSegments by the blocks in use in them, at the end:");
	cli_print_begin_table(p, "segments", columns, CLASSES + 1);
	for (unsigned i = 0; i < r->variant_count; i++) {
		for (unsigned node = 0; node < 2; node++) {
			const struct lab_variant *v = &r->variants[i];
			const struct lab_fullness *full = &v->rounds[v->round_count - 1].counts.full;

			cli_print_begin(p, NULL);
			cli_print_string(p, "variant", v->label[0] ? v->label : "-");
			cli_print_string(p, "kind", node ? "node" : "data");
			for (unsigned k = 1; k < CLASSES; k++)
				cli_print_u64(p, names[k], in_class(node ? full->node : full->data, k));
			cli_print_end(p);
		}
	}
	cli_print_end_array(p);
}

static void put_about(struct cli_print *p, const struct lab_experiment_params *about)
{
	cli_print_string(p, "title", about->title);
	cli_print_string(p, "paper", about->paper);
	cli_print_string(p, "setting", about->setting);
	cli_print_string(p, "deviation", about->deviation);
	cli_print_u64(p, "seed", about->seed);
}

/* Settings of the run: those of the file, with the small form's and the command line's. Papers' values come later. */
static void put_settings(struct cli_print *p, const struct lab_config *config)
{
	static const char *const others[] = { "experiment.", "small.", "paper." };

	cli_print_begin(p, "settings");
	for (unsigned i = 0; i < config->count; i++) {
		const struct lab_setting *s = &config->settings[i];
		unsigned k = 0;

		while (k < sizeof(others) / sizeof(others[0]) && strncmp(s->key, others[k], strlen(others[k])) != 0)
			k++;
		if (k < sizeof(others) / sizeof(others[0]))
			continue;
		if (!s->is_list) {
			cli_print_string(p, s->key, s->items[0]);
			continue;
		}
		cli_print_begin_array(p, s->key);
		for (unsigned n = 0; n < s->count; n++)
			cli_print_string(p, NULL, s->items[n]);
		cli_print_end_array(p);
	}
	cli_print_end(p);
}

int lab_report(const struct lab_result *result, FILE *to, int is_json)
{
	struct cli_print *p = cli_print_open(to, is_json ? CLI_JSON : CLI_TEXT);

	if (!p)
		return -1;
	if (is_json) {
		cli_print_begin(p, NULL);
		cli_print_string(p, "version", f2fs_version());
		put_about(p, &result->about);
		cli_print_u64(p, "rounds", result->about.rounds);
		cli_print_string(p, "plot", result->about.plot);
		put_settings(p, &result->config);
		put_json(p, result);
		put_paper(p, result);
		cli_print_end(p);
		return cli_print_close(p);
	}
	put_about(p, &result->about);
	cli_print_heading(p, "");
	put_rounds(p, result);
	put_fullness(p, result);
	put_paper(p, result);
	return cli_print_close(p);
}
