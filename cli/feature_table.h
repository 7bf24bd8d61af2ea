/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the features of a volume.
 */
#ifndef F2FSKIT_CLI_FEATURE_TABLE_H
#define F2FSKIT_CLI_FEATURE_TABLE_H

#include <f2fskit/volume.h>

#include "cli/print.h"

/* Print the table "features": which are on, and which can be turned on or off later. */
void cli_print_features(struct cli_print *out, struct f2fs_volume *vol);

#endif
