/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read experiments: from a configuration to variants, with the statements of the paper.
 */
#include "lab/experiment.h"
#include "lab/run_variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct varied {
	const struct lab_setting *setting;
	const char *key; /* without "vary." */
	unsigned at;
};

struct work {
	struct cli *cli;
	struct lab_result *result;
	struct varied varied[LAB_VARIED];
	unsigned varied_count;
};

static const struct lab_param experiment_table[] = {
#define PARAM(key, kind, standard, min, max, help)                                                                     \
	LAB_PARAM_ROW(lab_experiment_params, key, kind, standard, min, max, help)
#include "lab/experiment.def"
#undef PARAM
};

const struct lab_param *lab_experiment_table(unsigned *count)
{
	*count = sizeof(experiment_table) / sizeof(experiment_table[0]);
	return experiment_table;
}

int lab_is_value(const char *metric)
{
	return lab_metric_find(metric) >= 0 || strcmp(metric, "waf_relative") == 0;
}

int lab_variant_value(const struct lab_variant *v, const char *metric, uint64_t round, double *value, int *decimals)
{
	const int id = lab_metric_find(metric);

	if (round < 1 || round > v->round_count)
		return -1;
	if (id >= 0) {
		*value = v->rounds[round - 1].values[id];
		*decimals = lab_metric_at((unsigned)id)->decimals;
		return 0;
	}
	if (strcmp(metric, "waf_relative") != 0 || v->baseline_waf <= 0)
		return -1;
	*value = v->rounds[round - 1].values[LAB_METRIC_waf] / v->baseline_waf;
	*decimals = 4;
	return 0;
}

/* Is it a key of a table; the rest of the key, or NULL. */
static const char *within(const char *key, const char *table)
{
	const size_t n = strlen(table);

	return strncmp(key, table, n) == 0 && key[n] == '.' ? key + n + 1 : NULL;
}

/* Settings of [small] or [baseline] take the places of those that they name. */
static int override(struct lab_config *from, struct lab_config *to, const char *table)
{
	for (unsigned i = 0; i < from->count; i++) {
		struct lab_setting *s = &from->settings[i];
		const char *key = within(s->key, table);

		if (!key)
			continue;
		s->is_used = 1;
		/* settings of the command line override those that the file has for --small */
		if (from == to && lab_config_find(to, key) && lab_config_find(to, key)->is_chosen)
			continue;
		if (lab_config_replace(to, key, s->items, s->count, s->line, s->is_list)) {
			memmove(from->error, to->error, sizeof(from->error));
			return -1;
		}
	}
	return 0;
}

static int take_columns(struct lab_result *result)
{
	struct lab_setting *s = lab_config_find(&result->config, "experiment.columns");

	if (!s)
		return 0;
	s->is_used = 1;
	for (unsigned i = 0; i < s->count; i++) {
		char why[160];

		if (!lab_is_value(s->items[i])) {
			snprintf(why, sizeof(why), "'%.80s' is no metric; f2fs-lab list has them", s->items[i]);
			return lab_config_wrong(&result->config, s, why);
		}
		if (i == LAB_COLUMNS)
			return lab_config_wrong(&result->config, s, "has too many columns");
		result->columns[result->column_count++] = s->items[i];
	}
	return 0;
}

static int take_varied(struct work *w)
{
	struct lab_config *config = &w->result->config;

	for (unsigned i = 0; i < config->count; i++) {
		struct lab_setting *s = &config->settings[i];
		const char *key = within(s->key, "vary");
		const struct lab_setting *fixed = key ? lab_config_find(config, key) : NULL;

		if (!key)
			continue;
		s->is_used = 1;
		if (fixed && fixed->is_chosen)
			continue; /* --set or [small] chose one */
		if (!s->is_list || s->count == 0)
			return lab_config_wrong(config, s, "is no list of values");
		if (w->varied_count == LAB_VARIED)
			return lab_config_wrong(config, s, "is one too many");
		w->varied[w->varied_count++] = (struct varied){ .setting = s, .key = key };
	}
	return 0;
}

static int take_paper_value(struct lab_config *config, struct lab_setting *s, const char *part,
			    struct lab_paper_value *v)
{
	const char *text = s->items[0];
	char *end;

	if (s->is_list)
		return lab_config_wrong(config, s, "is a list, where one value is wanted");
	if (strcmp(part, "metric") == 0) {
		v->metric = text;
		return lab_is_value(text) ? 0 : lab_config_wrong(config, s, "is no metric; f2fs-lab list has them");
	}
	if (strcmp(part, "where") == 0)
		v->where = text;
	else if (strcmp(part, "words") == 0)
		v->words = text;
	else if (strcmp(part, "value") == 0)
		v->value = text;
	else if (strcmp(part, "round") == 0)
		v->round = strtoull(text, &end, 10);
	else
		return lab_config_wrong(config, s, "there is no such key");
	return 0;
}

/* [paper.NAME]: metric, where, round, value, words. */
static int take_paper(struct lab_result *result)
{
	struct lab_config *config = &result->config;

	for (unsigned i = 0; i < config->count; i++) {
		struct lab_setting *s = &config->settings[i];
		const char *name = within(s->key, "paper"), *dot = name ? strchr(name, '.') : NULL;
		struct lab_paper_value *v = result->paper;

		if (!name)
			continue;
		if (!dot)
			return lab_config_wrong(config, s, "is not in a table [paper.NAME]");
		s->is_used = 1;
		while (v->name && strncmp(v->name, name, (size_t)(dot - name) + 1) != 0)
			v++;
		if (!v->name) {
			if (result->paper_count == LAB_PAPER_VALUES - 1)
				return lab_config_wrong(config, s, "is one too many");
			result->paper_count++;
			*v = (struct lab_paper_value){ .name = name, .metric = "", .where = "", .words = "",
						       .value = "" };
		}
		if (take_paper_value(config, s, dot + 1, v))
			return -1;
	}
	return 0;
}

/* The last part of a key: "size" of source.hot.size. */
static const char *short_key(const char *key)
{
	const char *dot = strrchr(key, '.');

	return dot ? dot + 1 : key;
}

/* The configuration of one combination: no tables but those that a run reads. */
static int make_config(struct work *w, struct lab_config *out, char *label, size_t room)
{
	static const char *const others[] = { "experiment", "vary", "small", "baseline", "paper" };
	const struct lab_config *all = &w->result->config;
	size_t n = 0;

	*out = (struct lab_config){ .path = all->path };
	for (unsigned i = 0; i < all->count; i++) {
		const struct lab_setting *s = &all->settings[i];
		unsigned k = 0;

		while (k < sizeof(others) / sizeof(others[0]) && !within(s->key, others[k]))
			k++;
		if (k == sizeof(others) / sizeof(others[0]) &&
		    lab_config_add(out, s->key, s->items, s->count, s->line, s->is_list))
			return -1;
	}
	label[0] = '\0';
	for (unsigned i = 0; i < w->varied_count; i++) {
		const struct varied *v = &w->varied[i];

		if (lab_config_replace(out, v->key, &v->setting->items[v->at], 1, v->setting->line, 0))
			return -1;
		n += (size_t)snprintf(label + n, room - n, "%s%s=%s", i ? " " : "", short_key(v->key),
				      v->setting->items[v->at]);
		if (n >= room)
			n = room - 1;
	}
	return 0;
}

static int run_baseline(struct work *w, const struct lab_config *variant, struct lab_variant *v)
{
	const uint64_t rounds = w->result->about.baseline_rounds;
	struct lab_variant clean = { 0 };
	struct lab_config config;
	int is_asked = 0, rc;

	for (unsigned i = 0; i < w->result->config.count; i++)
		is_asked += within(w->result->config.settings[i].key, "baseline") != NULL;
	if (!is_asked)
		return 0;
	rc = lab_config_copy(variant, &config);
	if (!rc)
		rc = override(&w->result->config, &config, "baseline");
	if (rc)
		cli_error(w->cli, "%s", w->result->config.error);
	if (!rc)
		rc = lab_variant_run(w->cli, &config, w->result->about.seed, rounds, &clean);
	if (!rc)
		v->baseline_waf = clean.rounds[rounds - 1].values[LAB_METRIC_waf];
	lab_config_free(&config);
	free(clean.rounds);
	return rc;
}

static int run_one(struct work *w)
{
	struct lab_result *result = w->result;
	struct lab_variant *more = realloc(result->variants, (result->variant_count + 1) * sizeof(*more)), *v;
	struct lab_config config = { 0 };
	int rc;

	if (!more) {
		cli_error(w->cli, "out of memory");
		return -1;
	}
	result->variants = more;
	v = &more[result->variant_count++];
	*v = (struct lab_variant){ .trace = result->trace, .sample_blocks = result->about.samples };
	rc = make_config(w, &config, v->label, sizeof(v->label));
	if (rc)
		cli_error(w->cli, "%s", config.error);
	if (!rc)
		rc = run_baseline(w, &config, v);
	if (!rc)
		rc = lab_variant_run(w->cli, &config, result->about.seed, result->about.rounds, v);
	lab_config_free(&config);
	return rc;
}

/* The next combination; 0 after the last. */
static int turn(struct work *w)
{
	for (unsigned i = w->varied_count; i-- > 0; w->varied[i].at = 0)
		if (++w->varied[i].at < w->varied[i].setting->count)
			return 1;
	return 0;
}

static int read_about(struct work *w, int is_small)
{
	struct lab_config *config = &w->result->config;
	unsigned count;
	const struct lab_param *table = lab_experiment_table(&count);

	if (is_small && override(config, config, "small"))
		return -1;
	if (lab_config_read(config, "experiment.", table, count, &w->result->about))
		return -1;
	if (!lab_is_value(w->result->about.plot)) {
		struct lab_setting *s = lab_config_find(config, "experiment.plot");

		return lab_config_wrong(config, s, "is no metric; f2fs-lab list has them");
	}
	return take_columns(w->result) || take_varied(w) || take_paper(w->result) ? -1 : 0;
}

int lab_experiment_run(struct cli *cli, struct lab_config *settings, int is_small, struct lab_result *result)
{
	struct work w = { .cli = cli, .result = result };
	int rc;

	*result = (struct lab_result){ .config = *settings, .trace = result->trace };
	*settings = (struct lab_config){ 0 };
	if (read_about(&w, is_small)) {
		cli_error(cli, "%s", result->config.error);
		return -1;
	}
	if (result->trace && turn(&w)) {
		cli_error(cli, "a trace is of one variant: choose values for the varied settings with --set");
		return -1;
	}
	do
		rc = run_one(&w);
	while (!rc && turn(&w));
	return rc;
}

void lab_result_free(struct lab_result *result)
{
	for (unsigned i = 0; i < result->variant_count; i++) {
		free(result->variants[i].rounds);
		free(result->variants[i].samples);
	}
	free(result->variants);
	lab_config_free(&result->config);
}
