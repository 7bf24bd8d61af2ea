/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as an earlier checkpoint had it, for the programs that show one so.
 */
#ifndef F2FSKIT_CLI_EARLIER_STATE_H
#define F2FSKIT_CLI_EARLIER_STATE_H

#include <f2fskit/forensics.h>

struct cli;
struct cli_print;

/* Show the volume of a search as VERSION says: a checkpoint version, or -N. Returns an enum f2fs_error; *why is not
 * NULL when it is the VERSION that is wrong. */
int cli_as_of_show(struct f2fs_past *past, const char *version, const char **why);
/* Write what was met meanwhile as a record "as_of". */
void cli_as_of_put(struct cli_print *out, const struct f2fs_as_of_stat *stat);
/* Warn of it, when something was missing or uncertain. */
void cli_as_of_warn(struct cli *cli, const char *image, const struct f2fs_as_of_stat *stat);
/* How much of that time was not left. */
uint64_t cli_as_of_lost(const struct f2fs_as_of_stat *stat);

#endif
