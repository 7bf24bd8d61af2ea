/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ask the C library whether a text matches. Its header and ours cannot be in one file. */
#include "expressions_of_host.h"

#include <regex.h>
#include <stddef.h>

int host_expression_matches(const char *pattern, const char *text)
{
	regex_t regex;
	int rc;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB) != 0)
		return -1;
	rc = regexec(&regex, text, 0, NULL, 0);
	regfree(&regex);
	return rc == 0;
}
