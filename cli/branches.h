/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines in front of the names of a drawn tree.
 */
#ifndef F2FSKIT_CLI_BRANCHES_H
#define F2FSKIT_CLI_BRANCHES_H

#include <stddef.h>

struct cli_branches {
	char *text; /* four bytes for each level above */
	size_t room;
};

/* Write what stands in front of an entry of that depth, 1 or more. Entries come as a walk finds them. Returns non-zero
 * without memory. */
int cli_branches_put(struct cli_branches *b, unsigned depth, int is_last);
void cli_branches_free(struct cli_branches *b);

#endif
