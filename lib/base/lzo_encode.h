/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compress with LZO1X or LZO-RLE.
 */
#ifndef F2FSKIT_BASE_LZO_ENCODE_H
#define F2FSKIT_BASE_LZO_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
