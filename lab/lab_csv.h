/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write tables as comma-separated values (RFC 4180, but lines end with a line feed): a header, then a line for each
 * row.
 */
#ifndef F2FSKIT_LAB_CSV_H
#define F2FSKIT_LAB_CSV_H

#include <stdio.h>

#include "lab/experiment.h"

/* A field, after a comma unless it is the first of its line. */
void lab_csv_text(FILE *to, const char *text, int is_first);
/* All rounds of all variants, or all samples if there are any, with all metrics. 0, or -1 when writing failed. */
int lab_csv_report(const struct lab_result *result, FILE *to);

#endif
