/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The progress bar of a terminal: one line on stderr, drawn ten times a second at most, and only for work that takes
 * longer than half a second.
 */
#ifndef F2FSKIT_CLI_PROGRESS_H
#define F2FSKIT_CLI_PROGRESS_H

#include "cli/host.h"

void cli_progress_draw(struct cli *cli, const struct f2fs_progress *progress);
/* A line for fsck(8). */
void cli_meter_put(struct cli_meter *meter, const struct f2fs_progress *progress);
/* Take the bar off the screen, so that a message can be written. */
void cli_progress_clear(struct cli *cli);

#endif
