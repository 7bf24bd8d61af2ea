/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a program gives the library: a log on stderr, a progress bar when stderr is a terminal, the wall clock (or
 * SOURCE_DATE_EPOCH), random bytes, and a stop at the next report of progress after SIGINT or SIGTERM. Also how a
 * program speaks: results go to stdout, everything said here to stderr, with the program's name in front.
 */
#ifndef F2FSKIT_CLI_HOST_H
#define F2FSKIT_CLI_HOST_H

#include <f2fskit/context.h>

#include "cli/opt.h"

#if defined(__GNUC__)
#define CLI_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define CLI_PRINTF(f, a)
#endif

/* Progress as lines "PASS DONE TOTAL DEVICE", which fsck(8) asks for, instead of the bar. */
struct cli_meter {
	int fd; /* 0: none */
	const char *device;
	int pass; /* counted */
	const char *phase;
};

struct cli {
	const struct cli_tool *tool;
	struct f2fs_host host;
	enum f2fs_log_level level; /* what is shown of the log; F2FS_LOG_WARNING after cli_init */
	int has_epoch;		   /* SOURCE_DATE_EPOCH is set */
	int64_t epoch;		   /* seconds */
	int show_progress;	   /* stderr is a terminal */
	struct cli_meter meter;
	/* of the bar */
	int is_drawn;
	int64_t started_ns, drawn_ns;
	const char *drawn_task;
};

/* Prepare; returns 0, or -1 after a message (SOURCE_DATE_EPOCH is not a number). Catches SIGINT and SIGTERM. */
int cli_init(struct cli *cli, const struct cli_tool *tool);
/* Make a context over it; a message was written when it fails. cli must outlive it. */
int cli_context_new(struct cli *cli, struct f2fs_context **out);

void cli_error(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);
void cli_warning(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);
/* Write what the context says of its last error; what (may be NULL) is put in front: a path, say. */
void cli_error_of(struct cli *cli, const struct f2fs_context *ctx, const char *what);
/* Write an error of which the library tells in a callback; what and part (either may be empty) are put in front. */
void cli_error_detail(struct cli *cli, const struct f2fs_error_detail *detail, const char *what, const char *part);
/* Write "'value' WHY" for an option or operand that was not understood, and the hint at --help. */
void cli_usage_error(struct cli *cli, const char *what, const char *value, const char *why);
/* Flush stdout; returns status, or failure after a message when what was written did not arrive. */
int cli_finish(struct cli *cli, int status, int failure);
/* The signal that asked the program to stop, or 0. */
int cli_stopped(void);

#endif
