/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The lines in front of the names of a drawn tree: those of the levels above are kept as they are to be written.
 */
#include "cli/branches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 4 };

int cli_branches_put(struct cli_branches *b, unsigned depth, int is_last)
{
	const size_t above = (size_t)WIDTH * (depth - 1);

	if (above + WIDTH > b->room) {
		const size_t room = 2 * (above + WIDTH);
		char *more = realloc(b->text, room);

		if (!more)
			return 1;
		b->text = more;
		b->room = room;
	}
	fwrite(b->text, 1, above, stdout);
	fputs(is_last ? "`-- " : "|-- ", stdout);
	memcpy(b->text + above, is_last ? "    " : "|   ", WIDTH);
	return 0;
}

void cli_branches_free(struct cli_branches *b)
{
	free(b->text);
}
