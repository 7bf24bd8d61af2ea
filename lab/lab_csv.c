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

int lab_csv_report(const struct lab_result *result, FILE *to)
{
	const struct lab_metric_row *row;

	fputs("variant,seed,round", to);
	for (unsigned i = 0; (row = lab_metric_at(i)) != NULL; i++)
		lab_csv_text(to, row->name, 0);
	putc('\n', to);
	for (unsigned i = 0; i < result->variant_count; i++) {
		const struct lab_variant *v = &result->variants[i];

		for (unsigned k = 0; k < v->round_count; k++) {
			lab_csv_text(to, v->label, 1);
			fprintf(to, ",%" PRIu64 ",%u", result->about.seed, k + 1);
			for (unsigned m = 0; (row = lab_metric_at(m)) != NULL; m++)
				fprintf(to, ",%.*f", row->decimals, v->rounds[k].values[m]);
			putc('\n', to);
		}
	}
	return ferror(to) ? -1 : 0;
}
