/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * ZSTD: one frame without content size, checksum and dictionary, as the kernel
 * writes it; its window must not exceed the cluster, or the kernel cannot read it.
 */
#include "base/comp_codec.h"
#include "base/comp_zstd.h"
#include "f2fskit_config.h"

#define LEVEL_DEFAULT 1
#define LEVEL_MAX 22

static bool level_is_valid(unsigned int level)
{
	return level <= LEVEL_MAX;
}

#if HAVE_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

/*
 * Decoding goes straight to the output, so a frame that claims a large window costs no memory. Bytes after the first
 * frame are ignored, as the kernel does.
 */
static enum comp_result decompress(struct comp_state *state, struct comp_input in, uint8_t *out, size_t out_len)
{
	size_t frame = ZSTD_findFrameCompressedSize(in.bytes, in.len);
	size_t n;

	if (ZSTD_isError(frame))
		return COMP_CORRUPT;
	if (!state->zstd_reader)
		state->zstd_reader = ZSTD_createDCtx();
	if (!state->zstd_reader)
		return COMP_NO_MEMORY;
	n = ZSTD_decompressDCtx(state->zstd_reader, out, out_len, in.bytes, frame);
	return !ZSTD_isError(n) && n == out_len ? COMP_OK : COMP_CORRUPT;
}

/* The greatest power of two within the input, as the exponent. */
static int window_log(size_t in_len)
{
	int log = ZSTD_cParam_getBounds(ZSTD_c_windowLog).lowerBound;

	while (((size_t)2 << log) <= in_len)
		log++;
	return log;
}

static bool set_up(ZSTD_CCtx *writer, unsigned int level, size_t in_len)
{
	const struct {
		ZSTD_cParameter name;
		int value;
	} parameters[] = {
		{ ZSTD_c_compressionLevel, level == 0 ? LEVEL_DEFAULT : (int)level },
		{ ZSTD_c_windowLog, window_log(in_len) },
		{ ZSTD_c_contentSizeFlag, 0 },
		{ ZSTD_c_checksumFlag, 0 },
		{ ZSTD_c_dictIDFlag, 0 },
	};

	if (ZSTD_isError(ZSTD_CCtx_reset(writer, ZSTD_reset_session_and_parameters)))
		return false;
	for (size_t i = 0; i < sizeof(parameters) / sizeof(parameters[0]); i++)
		if (ZSTD_isError(ZSTD_CCtx_setParameter(writer, parameters[i].name, parameters[i].value)))
			return false;
	return true;
}

static enum comp_result compress(struct comp_state *state, unsigned int level, struct comp_input in, uint8_t *out,
				 size_t cap, size_t *out_len, void *work)
{
	size_t n;

	(void)work;
	if (!state->zstd_writer)
		state->zstd_writer = ZSTD_createCCtx();
	if (!state->zstd_writer)
		return COMP_NO_MEMORY;
	if (!set_up(state->zstd_writer, level, in.len))
		return COMP_UNAVAILABLE;
	n = ZSTD_compress2(state->zstd_writer, out, cap, in.bytes, in.len);
	if (ZSTD_isError(n))
		return ZSTD_getErrorCode(n) == ZSTD_error_memory_allocation ? COMP_NO_MEMORY : COMP_NO_ROOM;
	*out_len = n;
	return COMP_OK;
}

void comp_zstd_fini(struct comp_state *state)
{
	ZSTD_freeDCtx(state->zstd_reader);
	ZSTD_freeCCtx(state->zstd_writer);
	state->zstd_reader = NULL;
	state->zstd_writer = NULL;
}

#else
#define decompress NULL
#define compress NULL

void comp_zstd_fini(struct comp_state *state)
{
	(void)state;
}

#endif

const struct comp_codec comp_codec_zstd = { "zstd", PART_ZSTD, level_is_valid, decompress, NULL, compress };
