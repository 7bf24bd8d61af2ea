/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a volume from the command line: messages about problems, the final report.
 */
#ifndef F2FSKIT_CLI_COPY_IN_H
#define F2FSKIT_CLI_COPY_IN_H

#include "cli/copy_in_options.h"
#include "cli/print.h"

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

#endif
