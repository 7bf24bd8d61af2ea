/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ways of compression on the command line.
 */
#ifndef F2FSKIT_CLI_COMPRESSION_H
#define F2FSKIT_CLI_COMPRESSION_H

#include <f2fskit/compress.h>

/* Parse NAME[:LEVEL], like "zstd:19", into algorithm and level of how. Returns NULL, or an error text. */
const char *cli_parse_compression(const char *text, struct f2fs_compression *how);

#endif
