/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files. */
#include_next <stdlib.h>

#ifndef F2FSKIT_HOST_WINDOWS_STDLIB_H
#define F2FSKIT_HOST_WINDOWS_STDLIB_H

#include <posix_name.h>

int mkstemp(char *template_name) POSIX_NAME(mkstemp);
char *realpath(const char *path, char *resolved) POSIX_NAME(realpath);

#endif
