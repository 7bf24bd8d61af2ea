/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Bytes as hexadecimal digits.
 */
#ifndef F2FSKIT_CLI_HEX_H
#define F2FSKIT_CLI_HEX_H

#include <stddef.h>
#include <stdint.h>

/* The value of a digit; -1 for another character. */
int cli_hex_digit(char c);
/* Read @digits hexadecimal digits; 0, or -1 when there are other characters. */
int cli_parse_hex(const char *text, size_t digits, uint8_t *out);
/* Write two digits for each byte, without an end of the text. */
void cli_write_hex(char *text, const uint8_t *bytes, size_t n, int upper_case);

#endif
