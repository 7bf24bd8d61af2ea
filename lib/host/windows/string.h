/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Texts of errors: the C library has those of its own errors alone. */
#include_next <string.h>

#ifndef F2FSKIT_HOST_WINDOWS_STRING_H
#define F2FSKIT_HOST_WINDOWS_STRING_H

#include <posix_name.h>

char *strerror(int number) POSIX_NAME(strerror);

#endif
