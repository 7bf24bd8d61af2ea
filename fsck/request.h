/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The request that the command line of fsck.f2fs makes.
 */
#ifndef F2FSKIT_FSCK_REQUEST_H
#define F2FSKIT_FSCK_REQUEST_H

#include "cli/feature_list.h"
#include "cli/host.h"
#include "cli/program.h"

extern const struct cli_tool fsck_tool;

/* The job to do; one of these. */
enum fsck_job { FSCK_CHECK = 0, FSCK_RESTORE, FSCK_LIST, FSCK_EXPLAIN, FSCK_LAYOUT, FSCK_MAP };

/* When is it to be done? The more thorough, the higher. */
enum fsck_depth {
	FSCK_UNSAID = 0, /* while options are taken: the same as FSCK_FULL */
	FSCK_IF_NEEDED,	 /* when the volume says that something is wrong */
	FSCK_REPORT,	 /* the same; without signs of damage check, change nothing, and report problems */
	FSCK_SILENT,	 /* in any case, without a word when nothing is wrong */
	FSCK_FULL
};

/* The treatment of findings. */
enum fsck_answer {
	FSCK_ASK = 0, /* report, then ask on a terminal */
	FSCK_NO,
	FSCK_YES,
	FSCK_DRY_RUN /* repair a copy */
};

/* A flag that is changed, or not. */
enum fsck_switch { FSCK_KEEP = 0, FSCK_OFF, FSCK_ON };

enum { FSCK_MAX_IDS = 64, FSCK_WORDS_ROOM = 1024 };

/* Numbers, names or groups of problems. */
struct words {
	const char *at[FSCK_MAX_IDS + 1]; /* NULL after the last */
	unsigned count;
	char text[FSCK_WORDS_ROOM];
	size_t used;
};

struct arguments {
	struct cli_image image;
	enum fsck_job job;
	enum fsck_depth depth; /* the most thorough one that was asked for */
	enum fsck_answer answer;
	struct words ignore, only, except;
	const char *undo, *restore, *explain;
	uint32_t features; /* to be turned on */
	struct cli_encoding encoding;
	enum fsck_switch hash_only;
	int progress_fd; /* 0: none */
	int is_asking; /* about each problem */
	int is_forced; /* -f was given */
	int is_json, is_quiet, is_verbose, with_content, kernel_check;
	int shows_tree; /* of directories, beside the check */
};

/* Returns 0, CLI_OPT_EXIT or CLI_OPT_ERROR (a message was written). */
int arguments_parse(struct arguments *a, struct cli *cli, int argc, char **argv);

#endif
