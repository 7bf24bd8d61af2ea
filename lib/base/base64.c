/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Base64url. The decoder is strict, so every text it takes is the one the encoder
 * makes from the result: a name has one spelling.
 */
#include "base/base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

size_t base64_encode(const uint8_t *in, size_t n, char *out)
{
	uint32_t bits = 0;
	unsigned int count = 0;
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		bits = (bits << 8 | in[i]) & 0xFFFF;
		count += 8;
		while (count >= 6) {
			count -= 6;
			out[len++] = alphabet[bits >> count & 63];
		}
	}
	if (count > 0)
		out[len++] = alphabet[bits << (6 - count) & 63];
	return len;
}

/* The six bits of a character, or -1. */
static int value_of(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	if (c == '-')
		return 62;
	return c == '_' ? 63 : -1;
}

int base64_decode(const char *text, size_t len, uint8_t *out, size_t cap, size_t *n)
{
	uint32_t bits = 0;
	unsigned int count = 0;
	size_t used = 0;

	if (len % 4 == 1 || len / 4 * 3 + len % 4 * 3 / 4 > cap)
		return -1;
	for (size_t i = 0; i < len; i++) {
		int value = value_of(text[i]);

		if (value < 0)
			return -1;
		bits = (bits << 6 | (uint32_t)value) & 0xFFFF;
		count += 6;
		if (count >= 8) {
			count -= 8;
			out[used++] = (uint8_t)(bits >> count);
		}
	}
	if ((bits & ((1u << count) - 1)) != 0)
		return -1;
	*n = used;
	return 0;
}
