/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a volume from the command line: its source, the options that programs share (copy_in.def), messages about
 * problems, the final report.
 */
#ifndef F2FSKIT_CLI_COPY_IN_H
#define F2FSKIT_CLI_COPY_IN_H

#include <f2fskit/mkfs.h>
#include <f2fskit/populate.h>

#include "cli/host.h"
#include "cli/opt.h"
#include "cli/print.h"

struct cli_copy_in {
	struct cli *cli;
	const char *source; /* as it was given; NULL: none */
	int no_gc;	    /* when there is no room, do not run GC and begin again */
	int keeps_flags;    /* and project ids */
	int is_verbose;	    /* print the path of each entry */
	int tells_all;	    /* name each entry that exists already, not just some */
	const char *hint;   /* what might help when there is no room; NULL: nothing */
	uint64_t existing;  /* entries that were refused because they exist */
	struct f2fs_populate_options options;
	struct f2fs_populate_result result;
	const struct f2fs_mkfs_options *mkfs; /* of the volume, to say which size holds it all; NULL: its features */
	/* memory that options points to */
	struct f2fs_input input, manifest;
	void *memory; /* what cli_copy_in_free() gives back */
};

/* Options that programs share: see cli/opt.h. */
enum cli_copy_in_option {
	CLI_COPY_FIRST = CLI_COPY_NONE,
#define COPY_OPTION(id, letter, name, arg, arg_name, help, doc) CLI_COPY_##id,
#include "cli/copy_in.def"
#undef COPY_OPTION
	CLI_COPY_END,
	CLI_COPY_fs_config, /* options that programs call differently */
	CLI_COPY_file_contexts,
};

static inline int cli_is_copy_in_option(int id)
{
	return id > CLI_COPY_FIRST && id < CLI_COPY_END;
}

/* Take a directory, a tar archive, or "-" for an archive on the standard input. */
void cli_copy_in_source(struct cli_copy_in *in, const char *source);
/* Take one of them. Returns NULL, or an error text about its value. */
const char *cli_copy_in_take(struct cli_copy_in *in, int id, const char *value);
/* Is there a source that can be read only once? */
int cli_copy_in_is_stream(const struct cli_copy_in *in);
/* The room that a volume would need: source, MiB. */
#define CLI_COPY_IN_NEEDS "%s: a new volume needs %llu MiB to hold it"
static inline unsigned long long cli_mebibytes(uint64_t bytes)
{
	return (bytes + (1u << 20) - 1) >> 20;
}
/* Fill, without committing; a message was written for each problem. Returns 0, 1 when some entries could not be copied,
 * -1 after a message, or CLI_COPY_IN_NO_ROOM without one. */
#define CLI_COPY_IN_NO_ROOM (-2)
int cli_copy_in(struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol);
/* The same, then commit; when there is no room, run GC and copy again. On -1 nothing was changed. path is the
 * volume's, for messages. */
int cli_copy_in_commit(struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol, const char *path);
/* Print the counts of the copy as a line of text. */
void cli_copy_in_say(const struct cli_copy_in *in);
/* The same as members of a record. */
void cli_copy_in_print(const struct cli_copy_in *in, struct cli_print *p);
void cli_copy_in_free(struct cli_copy_in *in);

#endif
