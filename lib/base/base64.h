/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Base64 with the URL-safe alphabet (RFC 4648 section 5: '-' and '_') and
 * without padding: the form of names that cannot be decrypted.
 */
#ifndef F2FSKIT_BASE_BASE64_H
#define F2FSKIT_BASE_BASE64_H

#include <stddef.h>
#include <stdint.h>

/* Length of the text for @n bytes, without a NUL. */
#define BASE64_TEXT_SIZE(n) ((size_t)(n) / 3 * 4 + ((size_t)(n) % 3 * 4 + 2) / 3)

/* Encode @n bytes; @out takes BASE64_TEXT_SIZE(n) characters. No NUL is added. Returns that length. */
size_t base64_encode(const uint8_t *in, size_t n, char *out);

/*
 * Decode @len characters into at most @cap bytes at @out and set @n. Returns
 * 0, or -1 for a character outside the alphabet (padding included), an impossible
 * length, bits set past the last byte, or a result that does not fit.
 */
int base64_decode(const char *text, size_t len, uint8_t *out, size_t cap, size_t *n);

#endif
