/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A string builder over the caller's buffer, and a safe way to show bytes
 * that come from an image. The builder never overflows and needs no checks on
 * the way: what does not fit is cut off and the string then ends in "...".
 */
#ifndef F2FSKIT_BASE_TEXT_H
#define F2FSKIT_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/compiler.h"

struct text {
	char *buf;	/* NUL-terminated at all times */
	size_t cap;	/* size of buf, at least 1 */
	size_t len;	/* without the NUL */
	bool truncated; /* something did not fit; later additions are ignored */
};

/* Bytes of output, without the NUL, that n bytes make at most in text_add_printable(). */
#define TEXT_PRINTABLE_SIZE(n) (4 * (size_t)(n))

/* Start an empty string in the @cap (at least 1) bytes at @buf. */
void text_init(struct text *t, char *buf, size_t cap);

void text_add(struct text *t, const char *string);
void text_add_bytes(struct text *t, const char *bytes, size_t n);
void text_printf(struct text *t, const char *format, ...) PRINTF_LIKE(2, 3);

/*
 * Add bytes that nobody vouches for: valid UTF-8 of visible characters stays;
 * control characters, characters that reorder or hide the text around them,
 * the backslash (doubled) and bytes that are not UTF-8 become C escapes of
 * fixed length (\xNN for each byte). So the result is safe on a terminal, on
 * one line, and can be turned back without doubt.
 */
void text_add_printable(struct text *t, const void *bytes, size_t n);

#endif
