/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UUIDs of the command line.
 */
#include "cli/uuid.h"

#include <string.h>

static int digit_value(char c)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;
	const int value = found ? (int)(found - digits) : -1;

	return value > 15 ? value - 6 : value;
}

const char *cli_parse_uuid(const char *text, uint8_t uuid[16])
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	uint8_t bytes[16] = { 0 };
	unsigned digits = 0;

	for (unsigned i = 0; shape[i]; i++) {
		const int value = digit_value(text[i]);

		if (shape[i] == 'x' ? value < 0 : text[i] != '-')
			return "is not a UUID";
		if (shape[i] == 'x') {
			bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | value);
			digits++;
		}
	}
	if (text[sizeof(shape) - 1])
		return "is not a UUID";
	memcpy(uuid, bytes, sizeof(bytes));
	return NULL;
}
