/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program's table of options, made from its options.def where this is included, once, in one file:
 *
 *	#define CLI_OPTIONS_FILE "sload/options.def"
 *	#include "cli/option_table.h"
 *
 * gives the ids OPT_<id> of the program's own options, and the array options[] of all; see cli/opt.h. A program with
 * options that programs share includes their headers. CLI_TOOL_TABLES initializes the tables of its struct cli_tool.
 */
#include "cli/opt.h"

enum {
	OPT_NONE,
#define GROUP(title)
#define OPTION(id, letter, name, arg, arg_name, help, doc) OPT_##id,
#define OLD(id, name, arg, arg_name, instead) OPT_##id,
#define RENAMED(id, name, arg, arg_name, instead)
#define IMAGE_OPTION(id, letter, name, arg, arg_name, help, doc)
#define WRITER_OPTION(id, letter, name, arg, arg_name, help, doc)
#define COPY_OPTION(id, letter, name, arg, arg_name, help, doc)
#define PACKING_OPTION(id, letter, name, arg, arg_name, help, doc)
#include CLI_OPTIONS_FILE
#undef GROUP
#undef OPTION
#undef OLD
#undef RENAMED
#undef IMAGE_OPTION
#undef WRITER_OPTION
#undef COPY_OPTION
#undef PACKING_OPTION
	OPT_COUNT
};

static const struct cli_option options[] = {
#define GROUP CLI_GROUP_ROW
#define OPTION CLI_OPTION_ROW
#define OLD CLI_OLD_ROW
#define RENAMED CLI_OLD_ROW
#define IMAGE_OPTION(id, ...) CLI_SHARED_ROW(CLI_IMAGE_##id, __VA_ARGS__)
#define WRITER_OPTION(id, ...) CLI_SHARED_ROW(CLI_WRITER_##id, __VA_ARGS__)
#define COPY_OPTION(id, ...) CLI_SHARED_ROW(CLI_COPY_##id, __VA_ARGS__)
#define PACKING_OPTION(id, letter, ...) CLI_SHARED_ROW(CLI_PACKING_##id, CLI_PACKING_LETTER(letter), __VA_ARGS__)
#include CLI_OPTIONS_FILE
#undef GROUP
#undef OPTION
#undef OLD
#undef RENAMED
#undef IMAGE_OPTION
#undef WRITER_OPTION
#undef COPY_OPTION
#undef PACKING_OPTION
};

/* The arrays of a program, which all have these names: lines of usage, options and exit statuses. */
#define CLI_TOOL_TABLES                                                                                                \
	.usage = usage, .options = options, .option_count = sizeof(options) / sizeof(options[0]), .exits = exits,      \
	.exit_count = sizeof(exits) / sizeof(exits[0])
