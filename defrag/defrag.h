/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * defrag.f2fs: main.c reads the options, fragment_report.c reports fragmentation, map.c draws the segments, run.c
 * defragments, by access_list.c if given, moved_range.c moves a range of blocks as f2fs-tools do.
 */
#ifndef F2FSKIT_DEFRAG_PROGRAM_H
#define F2FSKIT_DEFRAG_PROGRAM_H

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

/* The files and the order that a file of the host lists; zero it first. */
struct access_list {
	char *text; /* that the paths are in */
	struct f2fs_defrag_part *parts;
	size_t count;
};

/* Read the list of d->a->order_file; returns 0, or non-zero with a message written. Free it in either case. */
int access_list_read(struct defrag *d, struct access_list *list);
void access_list_free(struct access_list *list);

/* These write to stdout, and a message when they fail; they return 0 or non-zero. */
int defrag_report(struct defrag *d);
int defrag_map(struct defrag *d);
int defrag_svg(struct defrag *d);
int defrag_run(struct defrag *d);
int defrag_range(struct defrag *d);

#endif
