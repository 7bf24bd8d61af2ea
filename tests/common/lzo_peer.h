/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The LZO library of its inventor as a judge of ours, where it is installed: loaded by name at run time, for tests and
 * measurements alone. Nothing of the project is linked with it.
 */
#ifndef F2FSKIT_TEST_LZO_PEER_H
#define F2FSKIT_TEST_LZO_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Memory for lzo_peer_compress(). */
#define LZO_PEER_WORK ((size_t)16384 * sizeof(void *))

/* Is it there? The functions below may be called then. */
bool lzo_peer_load(void);

/* Both return whether it worked. @cap bounds the decompressed bytes; the compressed ones must have enough room. */
bool lzo_peer_compress(const uint8_t *in, size_t in_len, uint8_t *out, size_t *out_len, void *work);
bool lzo_peer_decompress(const uint8_t *in, size_t in_len, uint8_t *out, size_t cap, size_t *out_len);

#endif
