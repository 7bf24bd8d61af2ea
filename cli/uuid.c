/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UUIDs of the command line.
 */
#include "cli/uuid.h"

#include <string.h>

static int digit_of(char c)
{
	static const char digits[] = "0123456789abcdef";
	const char *at = c ? strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c) : NULL;

	return at ? (int)(at - digits) : -1;
}

const char *cli_parse_uuid(const char *text, uint8_t uuid[16])
{
	uint8_t bytes[16];
	const char *p = text;

	for (unsigned i = 0; i < 16; i++) {
		int high, low;

		if ((i == 4 || i == 6 || i == 8 || i == 10) && *p++ != '-')
			return "is not a UUID";
		high = digit_of(p[0]);
		low = high < 0 ? -1 : digit_of(p[1]);
		if (low < 0)
			return "is not a UUID";
		bytes[i] = (uint8_t)(high * 16 + low);
		p += 2;
	}
	if (*p)
		return "is not a UUID";
	memcpy(uuid, bytes, sizeof(bytes));
	return NULL;
}
