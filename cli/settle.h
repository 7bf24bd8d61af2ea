/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commit the changes of a program.
 */
#ifndef F2FSKIT_CLI_SETTLE_H
#define F2FSKIT_CLI_SETTLE_H

#include <f2fskit/volume.h>

#include "cli/host.h"

/*
 * Commit. A failure is reported, with the state of the changes unless they are simply rolled back. Returns the
 * library's error.
 */
int cli_commit(struct cli *cli, struct f2fs_volume *vol, const char *what);

#endif
