/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A run of dump.f2fs. A view is a function that shows one thing (views.h); main.c parses the options, opens the
 * volume and calls the requested views.
 */
#ifndef F2FSKIT_DUMP_RUN_H
#define F2FSKIT_DUMP_RUN_H

#include <f2fskit/f2fskit.h>

#include "cli/host.h"
#include "cli/print.h"
#include "cli/stat.h"

/* Exit codes; those from 2 on are bits that add up. */
enum dump_exit {
	DUMP_OK = CLI_EXIT_OK,
	DUMP_USAGE = CLI_EXIT_FAILURE,
	DUMP_MISSING = CLI_EXIT_MISSING,
	DUMP_INCOMPLETE = CLI_EXIT_INCOMPLETE,
	DUMP_FAILED = CLI_EXIT_OPERATIONAL
};

struct copy_options;

struct dump {
	struct cli cli;
	const char *image;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	const struct f2fs_open_options *opening; /* how the volume was opened on it */
	struct f2fs_device *device; /* for views of zones: the first, and the further ones of a zoned volume */
	struct f2fs_device *const *further;
	unsigned further_count;
	struct cli_print *out; /* records */
	const struct copy_options *copy;
	int is_json;
	int is_quiet;
	int as_map; /* -i with -M */
	int debug;  /* -d */
	int is_thorough;
	int scrambles_names; /* of --metadata-image */
	int form;	     /* enum image_form (save_image.h) of images that are written */
	int asks_magic;	     /* with --carve */
	int takes_blank;     /* old versions are read with their blank blocks */
	uint64_t carve_size; /* 0: as the library has it */
	const char *to; /* of --undelete and --carve */
	struct f2fs_volume *now; /* with --as-of: the volume itself, while vol is the view; else NULL */
	int status; /* bits of enum dump_exit */
};

/* A range of numbers as given: first~end, end exclusive. */
struct dump_range {
	uint64_t first, end;
};

#endif
