/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZ4: one raw block, no frame. Level 0 is the fast encoder, 3..12 the one for high compression.
 */
#include "base/comp_codec.h"
#include "f2fskit_config.h"

#define HC_LEVEL_MIN 3
#define HC_LEVEL_MAX 12

static bool level_is_valid(unsigned int level)
{
	return level == 0 || (level >= HC_LEVEL_MIN && level <= HC_LEVEL_MAX);
}

#if HAVE_LZ4

#include <lz4.h>
#include <lz4hc.h>

static enum comp_result decompress(struct comp_state *state, struct comp_input in, uint8_t *out, size_t out_len)
{
	int n;

	(void)state;
	n = LZ4_decompress_safe((const char *)in.bytes, (char *)out, (int)in.len, (int)out_len);
	return n >= 0 && (size_t)n == out_len ? COMP_OK : COMP_CORRUPT;
}

static size_t work_size(unsigned int level, size_t in_len)
{
	(void)in_len;
	return (size_t)(level == 0 ? LZ4_sizeofState() : LZ4_sizeofStateHC());
}

static enum comp_result compress(struct comp_state *state, unsigned int level, struct comp_input in, uint8_t *out,
				 size_t cap, size_t *out_len, void *work)
{
	const char *from = (const char *)in.bytes;
	int n;

	(void)state;
	if (level == 0)
		n = LZ4_compress_fast_extState(work, from, (char *)out, (int)in.len, (int)cap, 1);
	else
		n = LZ4_compress_HC_extStateHC(work, from, (char *)out, (int)in.len, (int)cap, (int)level);
	if (n <= 0)
		return COMP_NO_ROOM;
	*out_len = (size_t)n;
	return COMP_OK;
}

#else
#define decompress NULL
#define work_size NULL
#define compress NULL
#endif

const struct comp_codec comp_codec_lz4 = { "lz4", PART_LZ4, level_is_valid, decompress, work_size, compress };
