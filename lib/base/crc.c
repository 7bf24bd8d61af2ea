/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * F2FS's CRC-32 on top of a library's, which inverts the register before and after: inverting its input and output once
 * more cancels that. libdeflate's is several times as fast as zlib's, which a checker of inode checksums notices.
 */
#include "base/crc.h"

#include "f2fskit_config.h"

#if HAVE_LIBDEFLATE
#include <libdeflate.h>
#else
#include <zlib.h>
#endif

/* zlib counts in uInt, which is smaller than size_t on 64-bit machines. */
#define CHUNK ((size_t)1 << 30)

static uint32_t crc_piece(uint32_t reg, const unsigned char *p, size_t n)
{
#if HAVE_LIBDEFLATE
	return libdeflate_crc32(reg, p, n);
#else
	return (uint32_t)crc32(reg, p, (uInt)n);
#endif
}

uint32_t crc_f2fs(uint32_t seed, const void *buf, size_t n)
{
	const unsigned char *p = buf;
	uint32_t reg = ~seed;

	while (n > 0) {
		size_t part = n < CHUNK ? n : CHUNK;

		reg = crc_piece(reg, p, part);
		p += part;
		n -= part;
	}
	return ~reg;
}
