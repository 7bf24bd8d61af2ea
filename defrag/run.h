/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of defrag.f2fs: main.c reads the options, and one of the other files does the work.
 */
#ifndef F2FSKIT_DEFRAG_RUN_H
#define F2FSKIT_DEFRAG_RUN_H

#include <f2fskit/defrag.h>

#include "cli/image.h"
#include "cli/print.h"

enum { INCLUDES = 64 };

struct arguments {
	struct cli_image image;
	int report, map, is_json;
	const char *svg;
	uint32_t top;
	/* of putting in order */
	uint32_t order; /* enum f2fs_defrag_order */
	const char *order_file;
	const char *const *include;
	const char *includes[INCLUDES];
	unsigned include_count;
	uint64_t blocks, bytes;
	uint32_t seconds, free_goal;
	int dry_run, move_pinned;
	/* of a range */
	int is_range, goes_left;
	uint64_t start, length, target;
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

/* Defragment, and print the result. Returns 0, or non-zero with a message written. */
int defrag_run(struct defrag *d);

#endif
