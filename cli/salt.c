/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read salts in the forms of f2fscrypt.
 */
#include "cli/salt.h"

#include <string.h>

#include "cli/hex.h"
#include "cli/uuid.h"

const char *cli_parse_salt(const char *text, uint8_t salt[F2FS_SALT_MAX], size_t *length)
{
	const size_t rest = strlen(text) < 2 ? 0 : strlen(text) - 2;

	if (!strncmp(text, "s:", 2)) {
		if (rest >= F2FS_SALT_MAX)
			return "is too long";
		memcpy(salt, text + 2, rest);
		*length = rest;
		return NULL;
	}
	if (!strncmp(text, "0x", 2)) {
		if (rest > 2 * (size_t)F2FS_SALT_MAX)
			return "is too long";
		if (rest % 2 || cli_parse_hex(text + 2, rest, salt))
			return "is not pairs of hexadecimal digits";
		*length = rest / 2;
		return NULL;
	}
	if (cli_parse_uuid(text, salt))
		return "is not s:TEXT, 0xHEX or a UUID";
	*length = 16;
	return NULL;
}
