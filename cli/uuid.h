/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * UUIDs of the command line: 8-4-4-4-12 hexadecimal digits in either case, or "random".
 */
#ifndef F2FSKIT_CLI_UUID_H
#define F2FSKIT_CLI_UUID_H

#include "cli/host.h"

/* Returns NULL, or an error text (see cli/size.h). */
const char *cli_parse_uuid(const char *text, uint8_t uuid[16]);

/* The same, or "random": a UUID of version 4. */
const char *cli_parse_new_uuid(struct cli *cli, const char *text, uint8_t uuid[16]);

#endif
