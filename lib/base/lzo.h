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

#endif
