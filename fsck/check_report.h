/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What fsck.f2fs shows: a line for each problem and a summary, or one JSON object.
 */
#ifndef FSCK_CHECK_REPORT_H
#define FSCK_CHECK_REPORT_H

#include <f2fskit/check.h>

#include "cli/print.h"

struct report {
	struct cli_print *out;
	int is_quiet;
};

/* Start the list of problems; 0, or -1 when memory is short. */
int report_open(struct report *report, enum cli_format format, int is_quiet);
/* One finding: the callback of a check. */
int report_problem(void *report, const struct f2fs_problem *problem);
/* End with the counts; result NULL: the check failed. Returns 0, or -1 when writing failed. */
int report_close(struct report *report, const struct f2fs_check_result *result);
/* Explain one problem; "all": a list. 0, or -1 when there is none of that name. */
int report_explain(const char *id, enum cli_format format);

#endif
