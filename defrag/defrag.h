/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * defrag.f2fs: main.c reads the options, fragment_report.c tells how fragmented a volume is, map.c draws its segments.
 */
#ifndef F2FSKIT_DEFRAG_PROGRAM_H
#define F2FSKIT_DEFRAG_PROGRAM_H

#include <f2fskit/defrag.h>

#include "cli/image.h"
#include "cli/print.h"

struct arguments {
	struct cli_image image;
	int report, map, is_json;
	const char *svg;
	uint32_t top;
	const char *const *paths;
	unsigned path_count;
};

/* What one run works with. */
struct defrag {
	struct cli *cli;
	const struct arguments *a;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
};

/* These write to stdout, and a message when they fail; they return 0 or non-zero. */
int defrag_report(struct defrag *d);
int defrag_map(struct defrag *d);
int defrag_svg(struct defrag *d);

#endif
