/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files by patterns. */
#ifndef F2FSKIT_HOST_WINDOWS_GLOB_H
#define F2FSKIT_HOST_WINDOWS_GLOB_H

#include <stddef.h>

#include <posix_name.h>

#define GLOB_NOSPACE 1
#define GLOB_NOMATCH 3

typedef struct {
	size_t gl_pathc;
	char **gl_pathv; /* in the order of their bytes */
} glob_t;

/* No flags are known. */
int glob(const char *pattern, int flags, int (*fail)(const char *path, int number), glob_t *out) POSIX_NAME(glob);
void globfree(glob_t *found) POSIX_NAME(globfree);

#endif
