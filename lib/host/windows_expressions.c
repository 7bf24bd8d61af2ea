/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regular expressions under Windows: none. */
#include <regex.h>
#include <stdio.h>

int regcomp(regex_t *regex, const char *pattern, int flags)
{
	(void)pattern;
	(void)flags;
	*regex = (regex_t){ 0 };
	return REG_ENOSYS;
}

int regexec(const regex_t *regex, const char *text, size_t count, regmatch_t *matches, int flags)
{
	(void)regex;
	(void)text;
	(void)count;
	(void)matches;
	(void)flags;
	return REG_ENOSYS;
}

size_t regerror(int code, const regex_t *regex, char *text, size_t room)
{
	(void)code;
	(void)regex;
	return (size_t)snprintf(text, room, "Windows has no regular expressions");
}

void regfree(regex_t *regex)
{
	*regex = (regex_t){ 0 };
}
