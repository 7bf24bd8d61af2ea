/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The host that a program gives to the library: a log on stderr, a progress bar when stderr is a terminal, the wall
 * clock (or SOURCE_DATE_EPOCH), random bytes, and a stop at the next report of progress after SIGINT or SIGTERM. Also
 * how a program speaks: results go to stdout, everything said here to stderr, with the program's name in front.
 */
#ifndef F2FSKIT_CLI_HOST_H
#define F2FSKIT_CLI_HOST_H

#include <f2fskit/context.h>
#include <sys/types.h>

#include "cli/opt.h"

#if defined(__GNUC__) && !defined(__clang__)
#define CLI_PRINTF(f, a) __attribute__((format(gnu_printf, f, a))) /* on every host */
#elif defined(__GNUC__)
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

enum { CLI_WARNINGS = 64 };

struct cli {
	const struct cli_tool *tool;
	struct f2fs_host host;
	enum f2fs_log_level level; /* the log is shown up to this level; F2FS_LOG_WARNING after cli_init */
	int has_epoch;		   /* SOURCE_DATE_EPOCH is set */
	int64_t epoch;		   /* seconds */
	int show_progress;	   /* stderr is a terminal */
	int has_logged_error;	   /* the library reported one that no call returns */
	int offers_repaired;	   /* errors of damage and of lost superblocks name --state=repaired */
	const char *done;	   /* a change done for good, whatever happens to the output; NULL: none */
	struct cli_meter meter;
	uint64_t warnings[CLI_WARNINGS]; /* hashes of those shown, 0: free */
	/* of the bar */
	int is_drawn;
	int64_t started_ns, drawn_ns;
	const char *drawn_task;
};

/* Prepare; returns 0, or -1 after a message (SOURCE_DATE_EPOCH is not a number). Catches SIGINT, SIGTERM and SIGHUP,
 * those that are not ignored. */
int cli_init(struct cli *cli, const struct cli_tool *tool);
/* Make a context over it; a message was written when it fails. cli must outlive it. */
int cli_context_new(struct cli *cli, struct f2fs_context **out);

/* Write text for a terminal. It may quote hostile names, so control characters become escapes (\xNN). Backslashes stay,
 * so text with escapes in it is not escaped again. Messages (below) pass through it; of one that is longer than 8192
 * bytes the first and the last 2048 are shown. */
void cli_put_text(FILE *to, const char *text);
void cli_error(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);
void cli_warning(struct cli *cli, const char *format, ...) CLI_PRINTF(2, 3);
/* Write the message of the context's last error; what (may be NULL) is put in front: a path, for example. */
void cli_error_of(struct cli *cli, const struct f2fs_context *ctx, const char *what);
/* Is it the volume that has no room, as the context's last error says, and not the host's disk? */
int cli_is_full(const struct f2fs_context *ctx, int rc);
/* Write an error that the library reports in a callback; what and part (either may be empty) are put in front. */
void cli_error_detail(struct cli *cli, const struct f2fs_error_detail *detail, const char *what, const char *part);
/* Write "'value' WHY" for an option or operand that was not understood, and the hint at --help. */
void cli_usage_error(struct cli *cli, const char *what, const char *value, const char *why);
/* Flush stdout; returns status, or failure after a message when the output could not be written. A status of failure
 * becomes 128 and the number of the signal that stopped the program, if one did and the table of the program has
 * CLI_EXIT_STOPPED. */
int cli_finish(struct cli *cli, int status, int failure);
/* The signal that asked the program to stop, or 0. */
int cli_stopped(void);
/* read(2) that waits until a signal asks the program to stop: EINTR then. */
ssize_t cli_read(int fd, void *buffer, size_t room);
/* Write all of the data at once, after the bytes in the buffer of to. Returns non-zero with errno; EINTR when a signal
 * asks to stop. */
int cli_write(FILE *to, const void *data, size_t length);
/* Write all of the bytes to the descriptor *user (an int): the callback of functions that hand out bytes. Returns 0, or
 * F2FS_SYS_ERROR(errno); EINTR when a signal asks to stop. */
int cli_write_fd(void *user, const void *bytes, size_t length);
/* Create a file of the host, or empty an existing one, and open it for writing; -1 after a message. *is_new: it did not
 * exist. Refuses files that a device of @ctx reads or writes. */
int cli_create(struct cli *cli, const struct f2fs_context *ctx, const char *path, unsigned mode, int *is_new);
/* It could not be written to its end: remove one that is new, say of another that it is not complete. */
void cli_leave_part(struct cli *cli, const char *path, int is_new);
/* Forget that signal, and wait for the next one. */
void cli_go_on(void);

#endif
