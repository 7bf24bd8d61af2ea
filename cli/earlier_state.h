/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as an earlier checkpoint had it, for the programs that show one so.
 */
#ifndef F2FSKIT_CLI_EARLIER_STATE_H
#define F2FSKIT_CLI_EARLIER_STATE_H

#include <f2fskit/forensics.h>

struct cli;
struct cli_print;

/* The parameters of a view. */
struct cli_as_of {
	struct f2fs_volume *vol;
	const char *version; /* of a checkpoint, or -N */
	unsigned flags;	     /* enum f2fs_past_flag */
};
/* Open a view of a volume. Returns an enum f2fs_error; *why is not NULL when it is the version that is wrong. */
int cli_as_of_open(const struct cli_as_of *from, const char **why, struct f2fs_volume **out);
/*
 * Show an earlier state: open a view of *vol and put it in place of *vol, which goes to *now. Returns as
 * cli_as_of_open(); after a failure both are as before.
 */
int cli_as_of_enter(struct f2fs_volume **vol, struct f2fs_volume **now, const char *version, unsigned flags,
		    const char **why);
/* Take that back: close the view. Returns 1 and fills *stat, or 0 when *now is NULL: there is no view. */
int cli_as_of_leave(struct f2fs_volume **vol, struct f2fs_volume **now, struct f2fs_as_of_stat *stat);
/* Write the counts of a view as a record "as_of". */
void cli_as_of_put(struct cli_print *out, const struct f2fs_as_of_stat *stat);
/* Warn of it, when something was missing or uncertain. */
void cli_as_of_warn(struct cli *cli, const char *image, const struct f2fs_as_of_stat *stat);
/* How much of that time was not left. */
uint64_t cli_as_of_lost(const struct f2fs_as_of_stat *stat);

#endif
