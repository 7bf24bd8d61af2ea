/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a volume from the command line: where from, what is said of problems, what is said in the end.
 */
#ifndef F2FSKIT_CLI_COPY_IN_H
#define F2FSKIT_CLI_COPY_IN_H

#include <f2fskit/populate.h>

#include "cli/host.h"
#include "cli/print.h"

struct cli_copy_in {
	struct cli *cli;
	const char *source; /* as it was given; NULL: none */
	int is_verbose;	    /* print the path of each entry */
	struct f2fs_populate_options options;
	struct f2fs_populate_result result;
	struct f2fs_input input; /* options.tar */
};

/* Take a directory, a tar archive, or "-" for an archive on the standard input. */
void cli_copy_in_source(struct cli_copy_in *in, const char *source);
/* Fill and commit; a message was written for each problem. Returns 0, 1 when some entries could not be copied, -1 when
 * nothing was changed, after a message. path is the volume's, for messages. */
int cli_copy_in(struct cli_copy_in *in, struct cli *cli, struct f2fs_volume *vol, const char *path);
/* Say what was copied, as a line of text. */
void cli_copy_in_say(const struct cli_copy_in *in);
/* The same as members of a record. */
void cli_copy_in_print(const struct cli_copy_in *in, struct cli_print *p);

#endif
