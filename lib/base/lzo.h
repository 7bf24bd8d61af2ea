/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * LZO1X, and the variant with runs of zeros, LZO-RLE, that the kernel made of it and liblzo2 does not know (FORMAT
 * files 8.3). The decoder reads hostile streams: every access is checked.
 */
#ifndef F2FSKIT_BASE_LZO_H
#define F2FSKIT_BASE_LZO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum lzo_result {
	LZO_OK = 0,
	LZO_INPUT_OVERRUN,  /* the stream ends before its end marker */
	LZO_OUTPUT_OVERRUN, /* it makes more than fits */
	LZO_BAD_DISTANCE,   /* a match starts before the output */
	LZO_BAD_END,	    /* the end marker is malformed, or bytes follow it */
};

/*
 * Decompress the whole stream of @in_len bytes into at most @cap bytes at @out and set @out_len (on LZO_OK only; @out
 * holds rubbish otherwise). The stream itself says whether it is plain or LZO-RLE.
 */
enum lzo_result lzo_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t cap, size_t *out_len);

struct lzo_input {
	const uint8_t *bytes;
	size_t len;
	bool has_zero_runs; /* make LZO-RLE of it */
};

/* The most bytes that a stream of @in_len bytes takes. */
size_t lzo_bound(size_t in_len);

/* Bytes of memory that lzo_compress() needs, aligned for uint16_t; their contents make no difference. */
size_t lzo_work_size(void);

/*
 * Compress into at most @cap bytes and set @out_len; false if it does not fit. The stream depends on the input alone,
 * not on the machine, @cap or @work.
 */
bool lzo_compress(const struct lzo_input *in, uint8_t *out, size_t cap, size_t *out_len, void *work);

#endif
