/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of compression algorithms, and the checks that are the same for all.
 */
#include "base/comp.h"

#include "base/comp_codec.h"
#include "base/comp_zstd.h"

static const struct comp_codec *codec_of(unsigned int algorithm)
{
	static const struct comp_codec *const codecs[COMP_COUNT] = {
		[COMP_LZO] = &comp_codec_lzo,
		[COMP_LZ4] = &comp_codec_lz4,
		[COMP_ZSTD] = &comp_codec_zstd,
		[COMP_LZORLE] = &comp_codec_lzorle,
	};

	return algorithm < COMP_COUNT ? codecs[algorithm] : NULL;
}

void comp_init(struct comp_state *state)
{
	state->zstd_reader = NULL;
	state->zstd_writer = NULL;
}

void comp_fini(struct comp_state *state)
{
	comp_zstd_fini(state);
}

const char *comp_name(unsigned int algorithm)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec ? codec->name : NULL;
}

bool comp_can_decompress(unsigned int algorithm)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec && codec->decompress && part_is_usable(codec->part);
}

bool comp_can_compress(unsigned int algorithm)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec && codec->compress && part_is_usable(codec->part);
}

const char *comp_why_not(unsigned int algorithm)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec ? part_why_not(codec->part) : "the algorithm is unknown";
}

bool comp_level_is_valid(unsigned int algorithm, unsigned int level)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec && codec->level_is_valid(level);
}

enum comp_result comp_decompress(struct comp_state *state, unsigned int algorithm, const uint8_t *in, size_t in_len,
				 uint8_t *out, size_t out_len)
{
	const struct comp_codec *codec = codec_of(algorithm);
	struct comp_input input = { in, in_len };

	if (!comp_can_decompress(algorithm))
		return COMP_UNAVAILABLE;
	if (in_len > COMP_LEN_MAX || out_len > COMP_LEN_MAX)
		return COMP_CORRUPT;
	return codec->decompress(state, input, out, out_len);
}

enum comp_result comp_decompress_other(struct comp_state *state, unsigned int *algorithm, const uint8_t *in,
				       size_t in_len, uint8_t *out, size_t out_len)
{
	/* the strict ones first: ZSTD has a magic number, LZO an end mark; LZO-RLE reads like LZO */
	static const unsigned order[] = { COMP_ZSTD, COMP_LZORLE, COMP_LZ4 };

	for (unsigned i = 0; i < sizeof(order) / sizeof(order[0]); i++) {
		enum comp_result result;

		if (order[i] == *algorithm || !comp_can_decompress(order[i]))
			continue;
		result = comp_decompress(state, order[i], in, in_len, out, out_len);
		if (result == COMP_OK)
			*algorithm = order[i];
		if (result == COMP_OK || result == COMP_NO_MEMORY)
			return result;
	}
	return COMP_CORRUPT;
}

size_t comp_work_size(unsigned int algorithm, unsigned int level, size_t in_len)
{
	const struct comp_codec *codec = codec_of(algorithm);

	return codec && codec->work_size ? codec->work_size(level, in_len) : 0;
}

enum comp_result comp_compress(struct comp_state *state, unsigned int algorithm, unsigned int level,
			       struct comp_job *job)
{
	const struct comp_codec *codec = codec_of(algorithm);
	const struct comp_input input = { job->in, job->in_len };
	const size_t cap = job->cap < COMP_LEN_MAX ? job->cap : COMP_LEN_MAX;

	if (!comp_can_compress(algorithm))
		return COMP_UNAVAILABLE;
	if (!codec->level_is_valid(level))
		return COMP_BAD_LEVEL;
	if (job->in_len > COMP_LEN_MAX)
		return COMP_NO_ROOM;
	return codec->compress(state, level, input, job->out, cap, &job->out_len, job->work);
}
