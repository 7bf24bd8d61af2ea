/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the tree and the descriptor of a verity file, and read the descriptor (FORMAT files 9.2). The hashing is in
 * base/verity.h.
 */
#ifndef F2FSKIT_FORMAT_VERITY_DESCRIPTOR_H
#define F2FSKIT_FORMAT_VERITY_DESCRIPTOR_H

#include <stddef.h>

#include "base/verity.h"

/* The largest descriptor, signature included, that a kernel takes. */
#define VERITY_DESCRIPTOR_MAX 16384u

/* Byte offsets in the file, after the data. */
struct verity_location {
	uint64_t tree;
	uint64_t descriptor;
	uint32_t descriptor_size; /* with the signature */
};

/*
 * Decode the value of the verity attribute of a file of @data_size bytes (i_size). Returns NULL, or an error phrase: it
 * is of another form, points before the end of the data, or beyond @max_size, the largest size of a file.
 */
const char *verity_location_decode(const uint8_t *value, size_t size, uint64_t data_size, uint64_t max_size,
				   struct verity_location *out);

/*
 * Decode the first VERITY_DESCRIPTOR_SIZE bytes of a descriptor of @size bytes into the parameters of the tree. NULL,
 * or why a kernel with blocks of 2^@log_block bytes would refuse it for a file of @data_size bytes.
 */
const char *verity_descriptor_decode(const uint8_t *raw, size_t size, uint64_t data_size, unsigned int log_block,
				     struct verity_params *out);

#endif
