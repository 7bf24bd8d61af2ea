/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* See lab_csv.h. */
#include "lab/lab_csv.h"

#include <inttypes.h>
#include <string.h>

void lab_csv_text(FILE *to, const char *text, int is_first)
{
	if (!is_first)
		putc(',', to);
	if (!strpbrk(text, ",\"\r\n")) {
		fputs(text, to);
		return;
	}
	putc('"', to);
	for (; *text; text++) {
		if (*text == '"')
			putc('"', to);
		putc(*text, to);
	}
	putc('"', to);
}

static void put_values(FILE *to, const double *values)
{
	const struct lab_metric_row *row;

	for (unsigned m = 0; (row = lab_metric_at(m)) != NULL; m++)
		fprintf(to, ",%.*f", row->decimals, values[m]);
	putc('\n', to);
}

int lab_csv_report(const struct lab_result *result, FILE *to)
{
	const struct lab_metric_row *row;
	const int has_samples = result->about.samples > 0;

	fputs(has_samples ? "variant,seed,round,written" : "variant,seed,round", to);
	for (unsigned i = 0; (row = lab_metric_at(i)) != NULL; i++)
		lab_csv_text(to, row->name, 0);
	putc('\n', to);
	for (unsigned i = 0; i < result->variant_count; i++) {
		const struct lab_variant *v = &result->variants[i];

		for (unsigned k = 0; k < (has_samples ? v->sample_count : v->round_count); k++) {
			lab_csv_text(to, v->label, 1);
			fprintf(to, ",%" PRIu64, result->about.seed);
			if (has_samples)
				fprintf(to, ",%" PRIu64 ",%" PRIu64, v->samples[k].round, v->samples[k].written);
			else
				fprintf(to, ",%u", k + 1);
			put_values(to, has_samples ? v->samples[k].values : v->rounds[k].values);
		}
	}
	return ferror(to) ? -1 : 0;
}
