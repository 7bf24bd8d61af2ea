/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Placements on the command line and in experiments: METHOD[:KEY=VALUE,...], as "m2h:memory=1M,delays=1".
 */
#ifndef F2FSKIT_CLI_PLACEMENT_H
#define F2FSKIT_CLI_PLACEMENT_H

#include <f2fskit/gc.h>
#include <f2fskit/hotness.h>

struct cli_placement {
	struct f2fs_hotness_options options;
	uint32_t victims; /* enum f2fs_gc_policy that goes with it */
};

/* Parse a placement. Returns NULL, or an error text. */
const char *cli_parse_placement(const char *text, struct cli_placement *out);

#endif
