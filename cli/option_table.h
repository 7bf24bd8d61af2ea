/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A program's table of options, made from its options.def where this is included, once, in one file:
 *
 *	#define CLI_OPTIONS_FILE "sload/options.def"
 *	#include "cli/option_table.h"
 *
 * gives the ids OPT_<id> and the array options[]; see cli/opt.h.
 */
#include "cli/opt.h"

enum {
	OPT_NONE,
#define GROUP(title)
#define OPTION(id, letter, name, arg, arg_name, help, doc) OPT_##id,
#include CLI_OPTIONS_FILE
#undef GROUP
#undef OPTION
	OPT_COUNT
};

static const struct cli_option options[] = {
#define GROUP CLI_GROUP_ROW
#define OPTION CLI_OPTION_ROW
#include CLI_OPTIONS_FILE
#undef GROUP
#undef OPTION
};
