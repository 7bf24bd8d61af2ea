/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended regular expressions of POSIX, which Windows lacks, on bytes. They say only whether a text matches.
 * One thread at a time may use an expression.
 */
#ifndef F2FSKIT_HOST_WINDOWS_REGEX_H
#define F2FSKIT_HOST_WINDOWS_REGEX_H

#include <stddef.h>

#include "host/windows/posix_name.h"

enum { REG_EXTENDED = 1, REG_NOSUB = 2 };

enum {
	REG_NOMATCH = 1,
	REG_BADPAT,
	REG_ECTYPE,
	REG_EESCAPE,
	REG_EBRACK,
	REG_EPAREN,
	REG_EBRACE,
	REG_BADBR,
	REG_ERANGE,
	REG_ESPACE,
	REG_BADRPT
};

typedef struct {
	struct host_expression *compiled;
} regex_t;

typedef struct {
	ptrdiff_t rm_so, rm_eo;
} regmatch_t;

int regcomp(regex_t *regex, const char *pattern, int flags) POSIX_NAME(regcomp);
int regexec(const regex_t *regex, const char *text, size_t count, regmatch_t *matches, int flags) POSIX_NAME(regexec);
size_t regerror(int code, const regex_t *regex, char *text, size_t room) POSIX_NAME(regerror);
void regfree(regex_t *regex) POSIX_NAME(regfree);

#endif
