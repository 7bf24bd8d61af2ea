/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Results for people and for programs: one description, as text and as JSON.
 */
#ifndef F2FSKIT_LAB_REPORT_H
#define F2FSKIT_LAB_REPORT_H

#include <stdio.h>

#include "lab/experiment.h"

/* Write a result; 0, or -1 when writing failed. */
int lab_report(const struct lab_result *result, FILE *to, int is_json);

#endif
