/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of f2fs: a row of commands on one image, from the command line, a script or a shell. All changes form one
 * transaction that is committed at the end.
 */
#ifndef F2FSKIT_EDIT_RUN_H
#define F2FSKIT_EDIT_RUN_H

#include <f2fskit/f2fskit.h>

#include "cli/host.h"
#include "cli/image.h"
#include "cli/print.h"
#include "cli/stat.h"
#include "cli/writer.h"

enum { COPY_BYTES = 1 << 20, TARGET_ROOM = 16385 };

/* Exit codes; the first failure that was met counts. */
enum edit_exit {
	EDIT_OK = CLI_EXIT_OK,
	EDIT_FAILED = CLI_EXIT_FAILURE,
	EDIT_MISSING = CLI_EXIT_MISSING,
	EDIT_INCOMPLETE = CLI_EXIT_INCOMPLETE,
	EDIT_USAGE = CLI_EXIT_USAGE
};

struct edit_command;

struct edit {
	struct cli cli;
	struct cli_image image;
	struct f2fs_context *ctx;
	const char *undo_path;	  /* of --undo */
	const char *log_path;	  /* of --read-log */
	struct cli_opened opened; /* its device is NULL until a command needs it */
	struct f2fs_volume *vol;  /* NULL until a command needs it */
	struct f2fs_volume *now;  /* the volume that vol is an earlier state of; NULL: vol is that itself */
	char *cwd;		  /* absolute, without a slash at the end unless it is the root */
	int may_write;		  /* -w */
	int is_json;
	int keep_going;
	struct cli_writer writer;
	int is_shell;	/* commands come from the standard input */
	int is_changed; /* there is something to commit */
	int is_writing; /* the command that runs, or ran last, may write */
	int may_have_written; /* something was committed, or a command that needs no commit was allowed to write */
	int is_settled;	      /* the last command was done, and left nothing to be committed */
	uint64_t first_version; /* of the checkpoint that the volume was opened with */
	int is_over;	/* the shell got a command to stop */
	int has_run;	/* a command was there to be run */
	int status;	/* enum edit_exit */
	const struct edit_command *commands; /* all there are */
	unsigned command_count;
};

/* A command as it was called: its options by letter, and its operands. */
struct edit_call {
	const struct edit_command *command;
	const char *options[128]; /* by letter: NULL not given, "" given, else its value */
	char **operands;
	int count;
};

enum edit_need {
	EDIT_LOOKS = 0,	  /* reads the volume */
	EDIT_CHANGES = 1, /* changes it: -w */
	EDIT_ALONE = 2	  /* opens its files itself */
};

struct edit_command {
	const char *name; /* NULL: title of a group */
	const char *operands;
	int need;	     /* enum edit_need */
	const char *letters; /* options: synopsis.c; commands.def says what + and ? before them mean */
	int min, max;	     /* operands; max -1: any number */
	int (*run)(struct edit *e, const struct edit_call *call);
	const char *help, *doc;
};

#endif
