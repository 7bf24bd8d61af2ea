/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZO and LZO-RLE, which need no library: one decoder and one encoder serve both.
 */
#include "base/comp_codec.h"
#include "base/lzo.h"
#include "base/lzo_encode.h"

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

static size_t work_size(unsigned int level, size_t in_len)
{
	(void)level;
	(void)in_len;
	return lzo_work_size();
}

static enum comp_result compress_lzo(struct comp_state *state, unsigned int level, struct comp_input in, uint8_t *out,
				     size_t cap, size_t *out_len, void *work)
{
	struct lzo_input input = { in.bytes, in.len, .has_zero_runs = false };

	(void)state;
	(void)level;
	return lzo_compress(&input, out, cap, out_len, work) ? COMP_OK : COMP_NO_ROOM;
}

static enum comp_result compress_lzorle(struct comp_state *state, unsigned int level, struct comp_input in,
					uint8_t *out, size_t cap, size_t *out_len, void *work)
{
	struct lzo_input input = { in.bytes, in.len, .has_zero_runs = true };

	(void)state;
	(void)level;
	return lzo_compress(&input, out, cap, out_len, work) ? COMP_OK : COMP_NO_ROOM;
}

const struct comp_codec comp_codec_lzo = { "lzo", PART_NONE, level_is_valid, decompress, work_size, compress_lzo };
const struct comp_codec comp_codec_lzorle = { "lzo-rle", PART_NONE, level_is_valid, decompress, work_size,
					     compress_lzorle };
