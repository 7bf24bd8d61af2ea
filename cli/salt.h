/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Salts of passphrases on the command line: s:TEXT, 0xHEX, or a UUID.
 */
#ifndef F2FSKIT_CLI_SALT_H
#define F2FSKIT_CLI_SALT_H

#include <f2fskit/key.h>

enum { CLI_SALT_TEXT_MAX = 2 + 2 * F2FS_SALT_MAX };

/* Returns NULL, or an error text (see cli/size.h). */
const char *cli_parse_salt(const char *text, uint8_t salt[F2FS_SALT_MAX], size_t *length);

#endif
