/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options from a table. A program lists its options once, in its options.def; from these rows come the parser, the
 * usage text, the machine-readable list and the manual page's OPTIONS section.
 *
 *	GROUP("Size and layout")
 *	OPTION(LABEL, 'l', "label", REQUIRED, "NAME", "name of the volume", "Longer text for the manual, or \"\".")
 *
 *	OLD(NAME, "name", REQUIRED, "NAME", "--label=NAME")
 *
 *	RENAMED(LABEL, "volume-name", REQUIRED, "NAME", "--label=NAME")
 *
 * OLD is an option of earlier versions that still works, RENAMED an earlier name of an option of the table. The usage
 * text lists old names in one paragraph, completion does not offer them.
 *
 * The program's file that takes the options includes cli/option_table.h for the ids and the array.
 *
 * Options may stand before and after operands; letters bundle (-fq), values are attached or follow (-b4096, -b 4096,
 * --block-size=4096, --block-size 4096), "--" ends the options. Every program understands -h/--help and -V/--version
 * (unless its table gives the letter another meaning) and --dump-options without listing them.
 */
#ifndef F2FSKIT_CLI_OPT_H
#define F2FSKIT_CLI_OPT_H

#include <stdio.h>

#include "cli/exit.h"

enum cli_arg {
	CLI_ARG_NONE = 0,
	CLI_ARG_REQUIRED = 1,
	CLI_ARG_OPTIONAL = 2, /* only when attached: -xVALUE, --long=VALUE */
	CLI_ARG_NUMBER = 3    /* optional and decimal: -p2, "-p 2", --preen=2; -py is -p -y */
};

struct cli_option {
	int id;		   /* > 0, or CLI_OPTION_GROUP */
	char letter;	   /* 0: none */
	unsigned char arg; /* enum cli_arg */
	const char *name;  /* long name without dashes; NULL: none */
	const char *arg_name;
	const char *help; /* one line, or the title of a group */
	const char *doc;  /* more for the manual page; blank lines separate paragraphs; "" for none */
	const char *instead; /* NULL, or of an old name: the option that replaces it */
};

#define CLI_OPTION_GROUP (-1)
#define CLI_GROUP_ROW(title) { CLI_OPTION_GROUP, 0, CLI_ARG_NONE, NULL, NULL, title, "", NULL },
#define CLI_OPTION_ROW(id, letter, name, arg, arg_name, help, doc)                                                     \
	{ OPT_##id, letter, CLI_ARG_##arg, name, arg_name, help, doc, NULL },
#define CLI_OLD_ROW(id, name, arg, arg_name, instead)                                                                  \
	{ OPT_##id, 0, CLI_ARG_##arg, name, arg_name, "old name of " instead, "", instead },

/*
 * Options that programs share stand in files of cli/, in rows of a macro of their own: IMAGE_OPTION (cli/image.h),
 * WRITER_OPTION (cli/writer.h), COPY_OPTION (cli/copy_in_options.h), PACKING_OPTION (cli/packing.h). A program's
 * options.def includes the files. Such options have the same ids in all programs, above those of a program's own.
 */
enum { CLI_IMAGE_NONE = 1000, CLI_WRITER_NONE = 2000, CLI_COPY_NONE = 3000, CLI_PACKING_NONE = 4000 };
#define CLI_SHARED_ROW(id, letter, name, arg, arg_name, help, doc)                                                     \
	{ id, letter, CLI_ARG_##arg, name, arg_name, help, doc, NULL },

/* A command of a program made of commands, for people. */
struct cli_command {
	const char *name;
	const char *args; /* as the usage shows them, "" for none */
	const char *help; /* one line, or the title of a group when name is NULL */
	const char *doc;  /* more for the manual page, "" for none */
};

/*
 * The version of f2fs-tools whose behaviour the programs of the same names have. It stands first in what -V prints,
 * where callers look for a least version.
 */
#define CLI_PEER_VERSION "1.16.0"

/* A program, as its usage text shows it. */
/* An optional library of the program itself. */
struct cli_part {
	const char *library; /* "libedit" */
	const char *purpose;
	int is_built_in;
};

struct cli_tool {
	const char *name;	  /* "mkfs.f2fs" */
	const char *peer_version; /* CLI_PEER_VERSION if f2fs-tools have such a program, else NULL */
	const char *const *usage; /* what follows the name, one line each; ends with NULL */
	const char *summary;	  /* one or two sentences */
	const struct cli_option *options;
	unsigned option_count;
	const struct cli_exit *exits;
	unsigned exit_count;
	const struct cli_command *commands;
	unsigned command_count;
	const struct cli_part *parts; /* for --version; ends with a row without library, NULL: there are none */
	int last_operand; /* what follows this many operands is no option; 0: options may follow all of them */
};

struct cli_parser {
	const struct cli_tool *tool;
	char **argv;
	int argc;
	int next;	   /* index of the next argument to look at */
	const char *rest;  /* further letters of a bundle, or NULL */
	int only_operands; /* "--" was seen */
	/* results */
	const char *value; /* of the option just returned; NULL: none given */
	char shown[64];	   /* the option just returned as it was written, for messages: "-b" or "--block-size" */
	char **operands;   /* valid after CLI_OPT_END; points into argv, whose order changes */
	int operand_count;
};

/* What cli_opt_next returns besides the id of an option. */
enum cli_opt_result {
	CLI_OPT_END = 0,
	CLI_OPT_ERROR = -1, /* a message was written; exit with the program's code for wrong usage */
	CLI_OPT_EXIT = -2   /* help or version was written; exit with 0 */
};

void cli_opt_init(struct cli_parser *p, const struct cli_tool *tool, int argc, char **argv);
/* Return the id of the next option, or an enum cli_opt_result. */
int cli_opt_next(struct cli_parser *p);

#endif
