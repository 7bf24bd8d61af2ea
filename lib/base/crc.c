/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * F2FS's CRC-32 on top of zlib's, which inverts the register before and after:
 * inverting its input and output once more cancels that.
 */
#include "base/crc.h"

#include <zlib.h>

/* zlib counts in uInt, which is smaller than size_t on 64-bit machines. */
#define CHUNK ((size_t)1 << 30)

uint32_t crc_f2fs(uint32_t seed, const void *buf, size_t n)
{
	const unsigned char *p = buf;
	uint32_t reg = ~seed;

	while (n > 0) {
		size_t part = n < CHUNK ? n : CHUNK;

		reg = (uint32_t)crc32(reg, p, (uInt)part);
		p += part;
		n -= part;
	}
	return ~reg;
}
