/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared declarations of f2fs. A run is a row of commands on one image, from the command line, a script or a shell; all
 * changes form one transaction that is committed at the end. commands.def is the table of commands: the parser of their
 * options, the usage text and the manual page come from it.
 */
#ifndef F2FSKIT_EDIT_EDIT_H
#define F2FSKIT_EDIT_EDIT_H

#include <f2fskit/f2fskit.h>

#include "cli/host.h"
#include "cli/image.h"
#include "cli/print.h"
#include "cli/stat.h"
#include "cli/writer.h"

enum {
	MODE_TYPE = 0170000,
	MODE_FIFO = 0010000,
	MODE_CHR = 0020000,
	MODE_DIR = 0040000,
	MODE_BLK = 0060000,
	MODE_REG = 0100000,
	MODE_LNK = 0120000,
	MODE_SOCK = 0140000
};
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

/* synopsis.c */
/* An option of a command. */
struct edit_option {
	char letter;
	const char *value; /* what its value is called, not terminated; NULL: it takes none */
	size_t value_length;
	const char *name; /* its long name, not terminated */
	size_t name_length;
};
/* Take the next option off a text of them; 0 at the end. */
int edit_option_next(const char **at, struct edit_option *out);
/* Find an option by its letter or its long name; 0: there is none. */
int edit_option_find(const struct edit_command *command, const char *word, struct edit_option *out);
/* What follows the name of a command in its usage: options and operands. Free it; NULL without memory. */
char *edit_synopsis(const struct edit_command *command);

/* failure.c */
/* Let a failure decide the status, unless an earlier one did. */
void edit_note(struct edit *e, int status);
/* Report the context's last error, what in front of it; note it in the status; return rc. */
int edit_fail(struct edit *e, int rc, const char *what);
/* Report wrong usage: "what: 'value' why". */
int edit_usage(struct edit *e, const char *what, const char *value, const char *why);
/* Report a failure of the host (errno). */
int edit_host_fail(struct edit *e, const char *what);
/* Note a failure of the host in the status, after its message was written. */
int edit_told(struct edit *e);
int edit_no_memory(struct edit *e);
/* Report that a signal stopped the command. */
int edit_stopped(struct edit *e, const char *what);

/* opened.c */
/* Open the devices of the image, once. Failure is reported. */
int edit_open_image(struct edit *e);
/* Open the volume, once. Failure is reported. */
int edit_open_volume(struct edit *e);
/* Return from an earlier state to the volume itself; warn of its lost and uncertain parts. */
void edit_close_as_of(struct edit *e);
/* Check that -w is given for a change that the operands request. Reports the error. */
int edit_need_write(struct edit *e, const char *command);
/* Commit the changes, if there are any. Failure is reported. */
int edit_commit(struct edit *e);
/* Save committed changes that are not yet in the file, of an Android sparse file. */
int edit_save(struct edit *e);
/* Drop changes; says so when there are any. */
void edit_rollback(struct edit *e);
/* End a run that was stopped: drop uncommitted changes, and print which ones stay. */
void edit_end_stopped(struct edit *e);

/* call.c */
/* Take options and operands out of the words of a call, whose command is set and whose operands have room for count.
 * Errors are reported. */
int edit_call_parse(struct edit *e, struct edit_call *call, char **words, int count);
static inline int edit_has(const struct edit_call *call, char letter)
{
	return call->options[(unsigned char)letter] != NULL;
}

/* command.c */
/* All commands, as the table has them. */
const struct edit_command *edit_commands(unsigned *count);
/* Run one command: words, the first of them its name. Whatever goes wrong is reported and noted in the status. Returns
 * 0 or a negative error. */
int edit_run(struct edit *e, char **words, int count);
/* Run the commands of a text, one a line or separated by semicolons. Returns 0 or the error that ended them. */
int edit_run_text(struct edit *e, char *text);
/* After a command failed with rc: may the next one run? Changes that cannot be kept are rolled back. */
int edit_goes_on(struct edit *e, int rc);
/* Does this command work on files of the volume? */
int edit_takes_files(const char *command);

/* words.c: the text of scripts and of the shell as words */
struct edit_line {
	char **words; /* into the text; freed by the caller, as are the marks */
	int count;
	const char *start;    /* of the text */
	unsigned char *marks; /* by place in the text: 1 for * ? [ without quotes; NULL: there are none */
};
/*
 * Take the next command off *text: its words, which point into the text, that is changed. Words are separated by
 * blanks, commands by newlines and semicolons; '...' and "..." quote, a backslash quotes the next character, \n \t \xNN
 * stand for bytes, # begins a comment. Returns the number of words, 0 for an empty command, -1 at the end of the text,
 * -2 for an open quote, -3 when memory is short.
 */
int edit_words(char **text, struct edit_line *line);

/* prompt.c: the next line typed at a prompt; free it. NULL at the end. */
char *edit_read_line(struct edit *e, const char *prompt);

/* patterns.c */
/* Does a pattern match a name? */
int edit_matches(const char *pattern, const char *name);
/* Expand patterns among the words of a command. They match files of the volume, or files of the host for the sources of
 * put. Free the words with edit_expand_free(). Failure is reported. */
int edit_expand(struct edit *e, const struct edit_line *line, char ***words, int *count);
void edit_expand_free(char **words, int count);

/* paths.c */
/* The absolute path of an operand; free it. */
char *edit_path(struct edit *e, const char *operand);
/* Open what an operand names: a path, or <NUMBER> for an inode. Failure is reported. */
int edit_open(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out);
/* The same, and its stat. */
int edit_open_stat(struct edit *e, const char *operand, unsigned lookup_flags, struct f2fs_inode **out,
		   struct f2fs_stat *st);
/* An operand that several sources go to has to be a directory. */
int edit_need_directory(struct edit *e, const char *operand);
/* A name in a directory, that need not exist. */
struct edit_name {
	struct f2fs_inode *dir;
	char *path; /* absolute; name points into it */
	const char *name;
	size_t length;
};
/* Find the directory of an operand. Failure is reported. */
int edit_name_open(struct edit *e, const char *operand, struct edit_name *out);
void edit_name_close(struct edit_name *name);
/* The same, but when operand names a directory: the name that source has, in there. */
int edit_name_open_into(struct edit *e, const char *operand, const char *source, struct edit_name *out);
/* The same for anything but directories: an operand that ends in a slash names an existing directory. */
int edit_name_open_file(struct edit *e, const char *operand, const char *source, struct edit_name *out);
/* Find the inode of that name: 0, NOT_FOUND (not reported) or another error (reported). */
int edit_name_lookup(struct edit *e, const struct edit_name *name, struct f2fs_dirent *out);
/* Make room for one more item of that size after count. NULL without memory (reported); the items are then unchanged.
 */
void *edit_grow(struct edit *e, void *items, size_t count, size_t *room, size_t size);
/* Levels of a tree whose directories stay open while a walk is below them. */
enum { NEAR_LEVELS = 32 };
/* A path that follows a walk. */
struct edit_way {
	char *text;
	size_t length, room;
};
/* Cut the way to its first above bytes, and append a name. */
int edit_way_set(struct edit *e, struct edit_way *way, size_t above, const char *name);
void edit_way_free(struct edit_way *way);
/* The last component of a path. */
const char *edit_base(const char *path);
struct f2fs_time edit_now(struct edit *e);
/* Set the attributes of a new inode of a type: owned by root, with the present time. mode NULL: the usual permissions,
 * or those of a default ACL. */
void edit_new(struct edit *e, uint32_t type, const uint32_t *mode, struct f2fs_new *out);
/* Call visit for each entry of a directory but "." and "..". The list is read first, so visit may change the
 * directory. Entries that cannot be read are reported and left out, and make it fail in the end. */
int edit_each(struct edit *e, struct f2fs_inode *dir, const char *path,
	      int (*visit)(void *user, const struct f2fs_dirent *entry), void *user);
/* Remove a name and all below it. */
int edit_remove_tree(struct edit *e, const struct edit_name *name, int is_dir);

/* Records of --json: a document for each command that shows something. */
struct cli_print *edit_print_open(struct edit *e);
int edit_print_close(struct edit *e, struct cli_print *out);
/* A name of the image, as text. */
void edit_put_name(const char *name, size_t length);

/* data.c */
int edit_copy_out(struct edit *e, struct f2fs_inode *inode, const char *what, FILE *to);
/* Write all of a file of the host, holes kept. */
int edit_copy_in(struct edit *e, struct f2fs_inode *inode, uint64_t at, const char *what, int fd);
/* Make a file empty, or make an empty file (*is_new); mode as of edit_new(). */
int edit_open_empty(struct edit *e, const struct edit_name *name, const uint32_t *mode, struct f2fs_inode **out,
		    int *is_new);
/*
 * Undo a partial copy to a name. A new file is removed, the contents of an existing one are lost unless rolled back.
 * The file's handle is closed.
 */
void edit_undo_file(struct edit *e, const struct edit_name *name, int is_new);

/* storage.c */
/* Run a change on each operand. Failure is reported. */
int edit_on_each(struct edit *e, const struct edit_call *call,
		 int (*change)(struct edit *e, struct f2fs_inode *inode, const char *name, void *user), void *user);

/* xattrs.c */
/* Remove the capabilities of a file that gets another owner or other contents, as the kernel does. Failure is
 * reported. */
int edit_drop_capability(struct edit *e, struct f2fs_inode *inode, const char *what);

/* transfer.c */
/* Copy a directory of the host, with all that is in it, to a name or into a directory of the volume. */
int edit_put_tree(struct edit *e, const char *source, const char *operand, int keeps_owner);
/* Copy a directory of the volume into a directory of the host, or to a new one; NULL: the current one. */
int edit_get_tree(struct edit *e, struct f2fs_inode *inode, const char *source, const char *operand);

/* An octal mode of permissions; non-zero: it is none. */
int edit_parse_mode(const char *text, uint32_t *mode);

#define COMMAND(name, operands, need, letters, min, max, run, help, doc)                                               \
	int run(struct edit *e, const struct edit_call *call);
#define COMMANDS(title)
#include "edit/commands.def"
#undef COMMAND
#undef COMMANDS

#endif
