/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report the findings of a check, as text with the marks that f2fs-tools' users look for ([ASSERT], [FIX], [FSCK] ...
 * [Ok..]), or as JSON. Also decide which ones to repair, from the options that choose problems.
 */
#ifndef F2FSKIT_FSCK_FINDINGS_H
#define F2FSKIT_FSCK_FINDINGS_H

#include <f2fskit/check.h>

#include "request.h"
#include "cli/print.h"

enum { REPORT_SHOWN_PER_KIND = 20 }; /* without -v */

struct report {
	struct cli *cli;
	const struct arguments *arguments;
	struct cli_print *json; /* NULL: text */
	uint64_t *counts;	/* of findings, by place in the table of problems */
	uint8_t *is_ignored;	/* by place in the table: an option leaves it out */
	unsigned problem_count; /* in the table */
	uint64_t ignored;	/* findings that an option hides, notes not counted */
	int is_repairing;
	int is_asking;	  /* about each finding */
	int common;	  /* enum f2fs_decision about what follows from the rest, -1: not asked yet */
	int is_quit;	  /* nothing is to be changed */
	int is_silent; /* count, but print nothing */
	int has_hop;			   /* a resize was stopped between two hops */
	uint64_t device_has, device_needs; /* bytes, of a device that ends before its volume; else 0 */
};

/* Returns 0, or -1 after a message: an option names no problem, or memory is short. */
int report_init(struct report *r, struct cli *cli, const struct arguments *arguments);
void report_fini(struct report *r);
/* Start again, for a second run. */
void report_restart(struct report *r, int is_repairing);

/* Callback of f2fs_check. */
int report_problem(void *user, const struct f2fs_problem *problem);

/* --problems and --explain; return an exit code. */
int report_list(struct cli *cli);
int report_explain(struct cli *cli, const char *id, int is_json);

#endif
