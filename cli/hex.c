/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hexadecimal digits in either case.
 */
#include "cli/hex.h"

#include <string.h>

int cli_hex_digit(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

int cli_parse_hex(const char *text, size_t digits, uint8_t *out)
{
	for (size_t i = 0; i < digits; i++) {
		const int digit = cli_hex_digit(text[i]);

		if (digit < 0)
			return -1;
		out[i / 2] = (uint8_t)(i % 2 ? out[i / 2] << 4 | digit : digit);
	}
	return 0;
}

void cli_write_hex(char *text, const uint8_t *bytes, size_t n, int upper_case)
{
	const char *digits = upper_case ? "0123456789ABCDEF" : "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		text[2 * i] = digits[bytes[i] >> 4];
		text[2 * i + 1] = digits[bytes[i] & 15];
	}
}
