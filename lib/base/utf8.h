/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UTF-8 as the Unicode standard defines it (no overlong forms, no
 * surrogates, at most U+10FFFF): one code point at a time.
 */
#ifndef F2FSKIT_BASE_UTF8_H
#define F2FSKIT_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_MAX 4 /* bytes of the longest sequence */
#define UTF8_REPLACEMENT 0xFFFDu

/*
 * Decode the sequence at @p, at most @n bytes, into @cp. Returns the length
 * of the sequence, 1..4, or 0 (and leaves @cp alone) if there is none.
 */
size_t utf8_decode(const uint8_t *p, size_t n, uint32_t *cp);

/* Encode @cp, which must be a code point but no surrogate; returns 1..4. */
size_t utf8_encode(uint32_t cp, uint8_t out[UTF8_MAX]);

/* Is every byte part of a valid sequence? The empty string is valid. */
bool utf8_is_valid(const uint8_t *p, size_t n);

#endif
