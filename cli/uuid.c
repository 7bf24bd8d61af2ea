/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UUIDs of the command line, by libuuid.
 */
#include "cli/uuid.h"

#include <string.h>
#include <uuid/uuid.h>

const char *cli_parse_uuid(const char *text, uint8_t uuid[16])
{
	uuid_t bytes;

	if (uuid_parse(text, bytes))
		return "is not a UUID";
	memcpy(uuid, bytes, sizeof(bytes));
	return NULL;
}
