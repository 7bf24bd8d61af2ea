/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text and errors of Windows. Names are UTF-16 there and UTF-8 here; half of a pair, which Windows lets names have,
 * becomes three bytes as if it were a character, and comes back the same.
 */
#ifndef F2FSKIT_HOST_WINDOWS_WIDE_H
#define F2FSKIT_HOST_WINDOWS_WIDE_H

#include <stddef.h>
#include <wchar.h>

/* Return a copy for free(), or NULL with errno; EILSEQ: it is not UTF-8. */
wchar_t *host_wide(const char *text);
char *host_narrow(const wchar_t *text, size_t length);
/* Convert into a buffer. Returns bytes without the final zero, or -1 with ENAMETOOLONG. */
int host_narrow_into(const wchar_t *text, size_t length, char *to, size_t room);

/* Set errno by an error of Windows. Returns -1. */
int host_fail(unsigned long error);
/* By GetLastError(). */
int host_fail_last(void);
/* By a status of the kernel. */
int host_fail_status(long status);

#endif
