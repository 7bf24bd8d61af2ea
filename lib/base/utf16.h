/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Text in fixed arrays of little-endian UTF-16 units, ended by a zero unit
 * unless full: the volume label (FORMAT volume 2.2).
 */
#ifndef F2FSKIT_BASE_UTF16_H
#define F2FSKIT_BASE_UTF16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of UTF-8, without a terminating NUL, that @units UTF-16 units need at most. */
#define UTF16_UTF8_SIZE(units) (3 * (size_t)(units))

enum utf16_result {
	UTF16_OK = 0,
	UTF16_INVALID, /* not valid UTF-8 or UTF-16, or a NUL inside the text */
	UTF16_NO_ROOM, /* the result does not fit */
};

/*
 * Decode at most @units units at @raw, up to the first zero, into the @cap
 * bytes at @out. Sets @len; no NUL is added. A unit that is half a surrogate
 * pair is UTF16_INVALID; @out holds rubbish then.
 */
enum utf16_result utf16_decode(const uint8_t *raw, size_t units, char *out, size_t cap, size_t *len);

/*
 * The same for display: each lone half becomes U+FFFD, and the excess is
 * cut off between two characters. Returns the number of bytes written; @clean
 * (may be NULL): nothing was replaced or cut.
 */
size_t utf16_decode_lossy(const uint8_t *raw, size_t units, char *out, size_t cap, bool *clean);

/*
 * Encode @len bytes of UTF-8 into exactly @units units at @raw, filling the
 * rest with zeros. Text that takes all units is stored without a zero unit.
 * @raw is untouched on failure.
 */
enum utf16_result utf16_encode(const char *text, size_t len, uint8_t *raw, size_t units);

#endif
