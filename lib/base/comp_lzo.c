/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZO and LZO-RLE: read by our own decoder, made by liblzo2. The decoder of
 * LZO-RLE takes plain LZO streams, so one encoder serves both.
 */
#include "base/comp_codec.h"
#include "base/lzo.h"
#include "f2fskit_config.h"

static bool level_is_valid(unsigned int level)
{
	return level == 0;
}

static enum comp_result decompress(struct comp_state *state, struct comp_input in, uint8_t *out, size_t out_len)
{
	size_t n;

	(void)state;
	if (lzo_decompress(in.bytes, in.len, out, out_len, &n) != LZO_OK || n != out_len)
		return COMP_CORRUPT;
	return COMP_OK;
}

#ifdef HAVE_LZO

#include <lzo/lzo1x.h>
#include <string.h>

/* What incompressible input can grow to, by the library's documentation. */
static size_t bound(size_t in_len)
{
	return in_len + in_len / 16 + 64 + 3;
}

/* The library's own memory, and the output: its compressor does not know where that ends. */
static size_t work_size(unsigned int level, size_t in_len)
{
	(void)level;
	return (size_t)LZO1X_1_MEM_COMPRESS + bound(in_len);
}

static enum comp_result compress(struct comp_state *state, unsigned int level, struct comp_input in, uint8_t *out,
				 size_t cap, size_t *out_len, void *work)
{
	uint8_t *full = (uint8_t *)work + LZO1X_1_MEM_COMPRESS;
	lzo_uint n = 0;

	(void)state;
	(void)level;
	if (lzo_init() != LZO_E_OK || lzo1x_1_compress(in.bytes, in.len, full, &n, work) != LZO_E_OK)
		return COMP_UNAVAILABLE;
	if (n > cap)
		return COMP_NO_ROOM;
	memcpy(out, full, n);
	*out_len = n;
	return COMP_OK;
}

#else
#define work_size NULL
#define compress NULL
#endif

const struct comp_codec comp_codec_lzo = { "lzo", level_is_valid, decompress, work_size, compress };
const struct comp_codec comp_codec_lzorle = { "lzo-rle", level_is_valid, decompress, work_size, compress };
