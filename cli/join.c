/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths put together.
 */
#include "cli/join.h"

#include <stdlib.h>
#include <string.h>

char *cli_join(const char *start, const char *rest)
{
	size_t n = strlen(start), m = strlen(rest);
	char *both = malloc(n + m + 2);

	if (!both)
		return NULL;
	memcpy(both, start, n);
	if (m > 0 && (n == 0 || start[n - 1] != '/'))
		both[n++] = '/';
	memcpy(both + n, rest, m + 1);
	return both;
}
