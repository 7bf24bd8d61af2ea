/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names and levels of compression algorithms.
 */
#include "cli/compression.h"

#include <string.h>

#include "cli/size.h"

const char *cli_parse_compression(const char *text, struct f2fs_compression *how)
{
	const char *colon = strchr(text, ':'), *why;
	size_t n = colon ? (size_t)(colon - text) : strlen(text);
	int algorithm;
	uint32_t level = 0;
	char name[16];

	if (n >= sizeof(name))
		return "is no compression algorithm";
	memcpy(name, text, n);
	name[n] = '\0';
	algorithm = f2fs_compress_find(name);
	if (algorithm < 0)
		return "is no compression algorithm (lzo, lz4, zstd or lzo-rle, with ':' and a level)";
	why = colon ? cli_parse_u32(colon + 1, 0, 22, &level) : NULL;
	if (!why && level && (algorithm == F2FS_COMPRESS_LZO || algorithm == F2FS_COMPRESS_LZORLE))
		return "is a level for lz4 and zstd: LZO has none";
	how->algorithm = (uint8_t)algorithm;
	how->level = (uint8_t)level;
	return why;
}
