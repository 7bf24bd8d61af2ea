/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of filling a volume that programs share (copy_in.def), and the run that they are for.
 */
#ifndef F2FSKIT_CLI_COPY_IN_OPTIONS_H
#define F2FSKIT_CLI_COPY_IN_OPTIONS_H

#include <f2fskit/mkfs.h>
#include <f2fskit/populate.h>

#include "cli/host.h"
#include "cli/opt.h"

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
	void *memory; /* for cli_copy_in_free() */
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
/* Free the memory that the options point to. */
void cli_copy_in_free(struct cli_copy_in *in);

#endif
