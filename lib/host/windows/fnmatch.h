/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Patterns of names. */
#ifndef F2FSKIT_HOST_WINDOWS_FNMATCH_H
#define F2FSKIT_HOST_WINDOWS_FNMATCH_H

#include <posix_name.h>

#define FNM_NOMATCH 1

/* No flags are known: '*' and '?' match every character. */
int fnmatch(const char *pattern, const char *text, int flags) POSIX_NAME(fnmatch);

#endif
