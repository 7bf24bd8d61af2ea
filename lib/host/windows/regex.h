/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Regular expressions, which Windows lacks: none compiles. */
#ifndef F2FSKIT_HOST_WINDOWS_REGEX_H
#define F2FSKIT_HOST_WINDOWS_REGEX_H

#include <stddef.h>

#include <posix_name.h>

enum { REG_EXTENDED = 1, REG_NOSUB = 2, REG_ENOSYS = 17 };

typedef struct {
	const void *compiled;
} regex_t;

typedef struct {
	ptrdiff_t rm_so, rm_eo;
} regmatch_t;

int regcomp(regex_t *regex, const char *pattern, int flags) POSIX_NAME(regcomp);
int regexec(const regex_t *regex, const char *text, size_t count, regmatch_t *matches, int flags) POSIX_NAME(regexec);
size_t regerror(int code, const regex_t *regex, char *text, size_t room) POSIX_NAME(regerror);
void regfree(regex_t *regex) POSIX_NAME(regfree);

#endif
