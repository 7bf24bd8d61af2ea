/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read tables of figures, and compare printed values with measured ones.
 */
#include "lab/figures.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct form {
	const char *name;
	int compares;
} forms[] = {
#define FORM(name, compares, value, text) { #name, compares },
#include "lab/figure_forms.def"
#undef FORM
};
enum { FORMS = sizeof(forms) / sizeof(forms[0]) };

struct lab_setting *lab_figure_setting(struct lab_config *config, const struct lab_figure_row *row, const char *key)
{
	char name[3 * LAB_NAME];
	struct lab_setting *s;

	snprintf(name, sizeof(name), "%s.%s", row->name, key);
	s = lab_config_find(config, name);
	if (s)
		return s;
	snprintf(name, sizeof(name), "%s.%s", row->table, key);
	return lab_config_find(config, name);
}

int lab_figure_row(struct lab_config *config, struct lab_setting *s, struct lab_figure_row *out)
{
	static const char end[] = ".cells";
	const size_t n = strlen(s->key), cut = sizeof(end) - 1;
	const char *dot = strchr(s->key, '.');

	if (n <= cut || strcmp(s->key + n - cut, end) != 0)
		return 0;
	*out = (struct lab_figure_row){ .cells = s };
	if (n - cut >= LAB_NAME || dot >= s->key + n - cut)
		return lab_config_wrong(config, s, "is not in a table [TABLE.ROW]");
	memcpy(out->name, s->key, n - cut);
	memcpy(out->table, s->key, (size_t)(dot - s->key));
	out->head = lab_figure_setting(config, out, "head");
	out->values = lab_figure_setting(config, out, "values");
	if (!out->head || !out->values || out->head->count != s->count || out->values->count != s->count)
		return lab_config_wrong(config, s, "is not as long as head and values of its table");
	return 1;
}

int lab_figure_is_kernels(struct lab_config *config, const struct lab_figure_row *row)
{
	return lab_figure_setting(config, row, "engine") != NULL;
}

enum lab_cost lab_figure_cost(struct lab_config *config, const struct lab_figure_row *row)
{
	const struct lab_setting *s = lab_figure_setting(config, row, "cost");

	if (!s)
		return LAB_COST_USUAL;
	return strcmp(s->items[0], "small") == 0 ? LAB_COST_SMALL : LAB_COST_SLOW;
}

int lab_figures_check(struct lab_config *config)
{
	static const char *const keys[] = { "document", "head",  "values",    "cells", "experiment", "set",
					    "small",	"round", "tolerance", "cost",  "measured", "seeds",
					    "engine",	"systems", "requests", "slack" };

	for (unsigned i = 0; i < config->count; i++) {
		const char *dot = strrchr(config->settings[i].key, '.');
		unsigned k = 0;

		while (dot && k < sizeof(keys) / sizeof(keys[0]) && strcmp(dot + 1, keys[k]) != 0)
			k++;
		if (!dot || k == sizeof(keys) / sizeof(keys[0]))
			return lab_config_wrong(config, &config->settings[i], "there is no such key");
	}
	return 0;
}

/* A word up to any of the characters in ends, without blanks around it. */
static int take_word(const char **text, const char *ends, char out[LAB_NAME])
{
	const size_t n = strcspn(*text, ends);

	if (n == 0 || n >= LAB_NAME)
		return -1;
	memcpy(out, *text, n);
	out[n] = '\0';
	*text += n;
	return 0;
}

int lab_figure_next(const char **text, struct lab_figure *out)
{
	*out = (struct lab_figure){ 0 };
	*text += strspn(*text, ", ");
	if (**text == '\0')
		return 0;
	if (take_word(text, "/@, ", out->metric))
		return -1;
	if (**text == ' ' && (strcmp(out->metric, "least") == 0 || strcmp(out->metric, "most") == 0)) {
		out->spread = strcmp(out->metric, "least") == 0 ? LAB_SPREAD_LEAST : LAB_SPREAD_MOST;
		++*text;
		if (take_word(text, "/@, ", out->metric))
			return -1;
	}
	if (**text == ' ') {
		while (out->form < FORMS && strcmp(forms[out->form].name, out->metric) != 0)
			out->form++;
		++*text;
		if (out->form == FORMS || take_word(text, "/@, ", out->metric))
			return -1;
	}
	if (**text == '/') {
		memcpy(out->run, out->metric, sizeof(out->run));
		++*text;
		if (take_word(text, "/@, ", out->metric))
			return -1;
	}
	if (**text == '@') {
		++*text;
		if (take_word(text, ", ", out->round))
			return -1;
	}
	return lab_is_value(out->metric) ? 1 : -1;
}

int lab_number_next(const char **text, char number[LAB_NAME])
{
	size_t n = 0;

	*text += strcspn(*text, "0123456789");
	for (; isdigit((unsigned char)**text) ||
	       (**text && strchr(".,", **text) && isdigit((unsigned char)(*text)[1]));
	     ++*text)
		if (**text != ',' && n < LAB_NAME - 1)
			number[n++] = **text;
	number[n] = '\0';
	return n > 0;
}

int lab_figure_compares(const struct lab_figure *figure)
{
	return forms[figure->form].compares;
}

double lab_figure_value(const struct lab_figure *figure, double x, double first)
{
	const double values[] = {
#define FORM(name, compares, value, text) (compares) && first == 0 ? 0 : (value),
#include "lab/figure_forms.def"
#undef FORM
	};

	return values[figure->form];
}

double lab_figure_spread(const struct lab_figure *figure, const double *values, unsigned count)
{
	double sum = 0, least = values[0], most = values[0];

	for (unsigned i = 0; i < count; i++) {
		sum += values[i];
		least = values[i] < least ? values[i] : least;
		most = values[i] > most ? values[i] : most;
	}
	return figure->spread == LAB_SPREAD_LEAST ? least : figure->spread == LAB_SPREAD_MOST ? most : sum / count;
}

int lab_figure_equals(const char *printed, double measured, double tolerance, char text[LAB_NAME])
{
	const char *point = strchr(printed, '.');
	const int decimals = point ? (int)strlen(point + 1) : 0;

	snprintf(text, LAB_NAME, "%.*f", decimals, measured);
	return strcmp(printed, text) == 0 || fabs(strtod(printed, NULL) - measured) < tolerance * fabs(measured);
}

int lab_figure_measure(const struct lab_variant *v, const char *metric, const char *round, double *value)
{
	const int id = lab_metric_find(metric);
	uint64_t first = v->round_count, last = first;
	struct lab_sample sum = { 0 };
	double values[LAB_METRICS];
	int decimals;
	char *end;

	if (strcmp(round, "all") == 0) {
		first = 1;
	} else if (round[0]) {
		first = last = strtoull(round, &end, 10);
		if (*end == '-')
			last = strtoull(end + 1, &end, 10);
		if (*end)
			return -1;
	}
	if (first < 1 || first > last || last > v->round_count)
		return -1;
	if (first == last)
		return lab_variant_value(v, metric, first, value, &decimals);
	if (id < 0)
		return -1;
	for (uint64_t i = first; i <= last; i++)
		lab_sample_add(&sum, &v->rounds[i - 1].counts);
	lab_metrics(&sum, values);
	*value = lab_metric_at((unsigned)id)->decimals ? values[id] : values[id] / (double)(last - first + 1);
	return 0;
}
