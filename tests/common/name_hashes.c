/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Hashes of names, for tests that compare them with those of a kernel: lines "p HEX" (plain) or "c HEX" (casefolded) on
 * standard input; for each the hash in hex, or "-" if this build cannot fold.
 */
#include <stdio.h>
#include <string.h>

#include "base/namehash.h"

#define NAME_ROOM 256

static size_t decode_hex(const char *hex, uint8_t *name)
{
	size_t n = 0;
	unsigned int byte;

	while (n < NAME_ROOM && sscanf(hex + 2 * n, "%2x", &byte) == 1)
		name[n++] = (uint8_t)byte;
	return n;
}

int main(void)
{
	char line[2 * NAME_ROOM + 8];

	while (fgets(line, sizeof(line), stdin)) {
		uint8_t name[NAME_ROOM];
		size_t n = strlen(line) > 2 ? decode_hex(line + 2, name) : 0;
		uint32_t hash = 0;

		if (line[0] == 'p')
			printf("%08x\n", (unsigned int)namehash_plain(name, n));
		else if (namehash_casefold(name, n, &hash) == UNICODE_UNAVAILABLE)
			printf("-\n");
		else
			printf("%08x\n", (unsigned int)hash);
	}
	return ferror(stdin) != 0;
}
