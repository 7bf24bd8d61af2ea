/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands of f2fs-lab, and the options that they share.
 */
#ifndef F2FSKIT_LAB_COMMAND_H
#define F2FSKIT_LAB_COMMAND_H

#include "cli/host.h"

enum { LAB_SETS = 64 };

struct command;

struct lab_arguments {
	const char *program; /* as it was started */
	const struct command *command; /* that was found */
	const char *sets[LAB_SETS]; /* KEY=VALUE */
	unsigned set_count;
	const char *seed; /* NULL: not given */
	uint64_t seed_number;
	uint32_t rounds;
	const char *json, *csv, *plot, *trace;
	const char *policy; /* a file in Python; NULL: none */
	int is_small, is_all;
	const char *figures; /* a folder; NULL: the one that comes with the program */
	char **operands;
	int operand_count;
};

/* Each returns 0, or -1 after a message. */
#define COMMAND(name, operands, min, max, run, help, doc) int run(struct cli *cli, struct lab_arguments *a);
#include "lab/lab_commands.def"
#undef COMMAND

#endif
