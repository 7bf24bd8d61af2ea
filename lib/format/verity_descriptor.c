/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The verity attribute and the fs-verity descriptor.
 */
#include "format/verity_descriptor.h"

#include <stdbool.h>

#include "base/checked.h"
#include "format/structs.h"

#define METADATA_ALIGNMENT 65536u

const char *verity_location_decode(const uint8_t *value, size_t size, uint64_t data_size, uint64_t max_size,
				   struct verity_location *out)
{
	uint64_t tree;

	if (size != verityx_SIZE || verityx_version(value) != 1)
		return "the attribute with its place has an unknown form";
	if (verityx_size(value) < verityd_SIZE || verityx_size(value) > VERITY_DESCRIPTOR_MAX)
		return "its size is out of range";
	if (!checked_add64(data_size, METADATA_ALIGNMENT - 1, &tree))
		return "the file is too large";
	tree -= tree % METADATA_ALIGNMENT;
	if (verityx_pos(value) < tree || !range_within(verityx_pos(value), verityx_size(value), max_size))
		return "its place is out of range";
	out->tree = tree;
	out->descriptor = verityx_pos(value);
	out->descriptor_size = verityx_size(value);
	return NULL;
}

static bool is_known_algorithm(unsigned int algorithm)
{
	return algorithm == SHA_256 || algorithm == SHA_512;
}

const char *verity_descriptor_decode(const uint8_t *raw, size_t size, uint64_t data_size, unsigned int log_block,
				     struct verity_params *out)
{
	if (size < verityd_SIZE || verityd_sig_size(raw) > size - verityd_SIZE)
		return "the signature does not fit";
	if (verityd_version(raw) != 1 || !is_known_algorithm(verityd_hash_algorithm(raw)))
		return "version or hash algorithm is not known";
	if (verityd_log_blocksize(raw) < VERITY_LOG_BLOCK_MIN || verityd_log_blocksize(raw) > log_block)
		return "the block size is out of range";
	if (verityd_salt_size(raw) > VERITY_SALT_MAX)
		return "the salt is too large";
	if (verityd_data_size(raw) != data_size)
		return "data_size is not the file's size";
	if (!is_zero(verityd_reserved(raw), verityd_SIZE_reserved))
		return "reserved bytes are not zero";
	memset(out, 0, sizeof(*out));
	out->algorithm = verityd_hash_algorithm(raw);
	out->log_block = verityd_log_blocksize(raw);
	out->data_size = data_size;
	out->salt_size = verityd_salt_size(raw);
	memcpy(out->salt, verityd_salt(raw), out->salt_size);
	return NULL;
}
