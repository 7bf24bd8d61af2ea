/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One algorithm, as comp.c sees it. A function that this build does not have is NULL.
 */
#ifndef F2FSKIT_BASE_COMP_CODEC_H
#define F2FSKIT_BASE_COMP_CODEC_H

#include "base/comp.h"
#include "base/part.h"

struct comp_input {
	const uint8_t *bytes;
	size_t len; /* at most COMP_LEN_MAX */
};

/* Libraries count in int. */
#define COMP_LEN_MAX ((size_t)0x40000000)

struct comp_codec {
	const char *name;
	enum part part; /* what it needs */
	bool (*level_is_valid)(unsigned int level);
	enum comp_result (*decompress)(struct comp_state *state, struct comp_input in, uint8_t *out, size_t out_len);
	size_t (*work_size)(unsigned int level, size_t in_len);
	enum comp_result (*compress)(struct comp_state *state, unsigned int level, struct comp_input in, uint8_t *out,
				     size_t cap, size_t *out_len, void *work);
};

extern const struct comp_codec comp_codec_lzo;
extern const struct comp_codec comp_codec_lz4;
extern const struct comp_codec comp_codec_zstd;
extern const struct comp_codec comp_codec_lzorle;

#endif
