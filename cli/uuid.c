/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UUIDs of the command line, by libuuid. A build without it reads the same form itself.
 */
#include "cli/uuid.h"

#include <string.h>

#include "f2fskit_config.h"

#if HAVE_UUID
#include <uuid/uuid.h>

static int parse(const char *text, uint8_t uuid[16])
{
	return uuid_parse(text, uuid) == 0;
}
#else
static int digit_value(char c)
{
	static const char digits[] = "0123456789abcdefABCDEF";
	const char *found = c ? strchr(digits, c) : NULL;
	const int value = found ? (int)(found - digits) : -1;

	return value > 15 ? value - 6 : value;
}

static int parse(const char *text, uint8_t uuid[16])
{
	static const char shape[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	unsigned digits = 0;

	memset(uuid, 0, 16);
	for (unsigned i = 0; shape[i]; i++) {
		const int value = digit_value(text[i]);

		if (shape[i] == 'x' ? value < 0 : text[i] != '-')
			return 0;
		if (shape[i] == 'x') {
			uuid[digits / 2] = (uint8_t)(uuid[digits / 2] << 4 | value);
			digits++;
		}
	}
	return text[sizeof(shape) - 1] == '\0';
}
#endif

const char *cli_parse_uuid(const char *text, uint8_t uuid[16])
{
	uint8_t bytes[16];

	if (!parse(text, bytes))
		return "is not a UUID";
	memcpy(uuid, bytes, sizeof(bytes));
	return NULL;
}

const char *cli_parse_new_uuid(struct cli *cli, const char *text, uint8_t uuid[16])
{
	if (strcmp(text, "random") != 0)
		return cli_parse_uuid(text, uuid);
	if (cli->host.random(cli->host.user, uuid, 16))
		return "cannot be made: the host gives no random numbers";
	uuid[6] = (uint8_t)((uuid[6] & 0x0F) | 0x40); /* version 4 */
	uuid[8] = (uint8_t)((uuid[8] & 0x3F) | 0x80);
	return NULL;
}
