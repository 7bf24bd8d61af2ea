/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The Merkle tree of fs-verity (FORMAT files 9.2): build it from the data, or verify data against a stored one. The
 * places of the tree and the descriptor in a file are not known here: all bytes come and go through callbacks.
 *
 * The tree has levels: 0 holds the hashes of the data blocks, each next one those of the blocks of the level
 * below; the top level is one block, whose hash is the root hash. Stored, the top level comes first.
 */
#ifndef F2FSKIT_BASE_VERITY_H
#define F2FSKIT_BASE_VERITY_H

#include <stddef.h>
#include <stdint.h>

#include "base/sha.h"

#define VERITY_DESCRIPTOR_SIZE 256 /* without the signature */
#define VERITY_SALT_MAX 32
#define VERITY_LOG_BLOCK_MIN 10
#define VERITY_LOG_BLOCK_MAX 16
#define VERITY_LEVELS_MAX 16

struct verity_params {
	unsigned int algorithm; /* enum sha_algorithm, unchecked */
	unsigned int log_block; /* of the size of data and tree blocks */
	uint64_t data_size;	/* bytes */
	size_t salt_size;
	uint8_t salt[VERITY_SALT_MAX];
};

/* Other results than these are those of a callback, passed on. */
enum verity_result {
	VERITY_OK = 0,
	VERITY_MISMATCH = 1,	/* a hash is not the stored one */
	VERITY_BAD_PARAMS = 2,	/* parameters out of range */
	VERITY_UNAVAILABLE = 3, /* built without this hash algorithm */
	VERITY_NO_MEMORY = 4,
};

/* The level that stands for the data itself. */
#define VERITY_DATA (-1)

/* Each callback returns 0, or a number that ends the work and is passed on (negative, unlike results here). */
struct verity_io {
	void *user;
	/* Read exactly @n bytes of data at @offset. */
	int (*read_data)(void *user, uint64_t offset, void *buf, size_t n);
	/* Read tree block @index (counted from the start of the stored tree). For verifying only. */
	int (*read_tree)(void *user, uint64_t index, void *buf, size_t n);
	/* Take a finished tree block; blocks come in no particular order. For building only; may be NULL. */
	int (*write_tree)(void *user, uint64_t index, const void *buf, size_t n);
	/*
	 * Block @index of @level (VERITY_DATA: of the data) has another hash than the level above says. May be NULL:
	 * the first such block ends the work then. For verifying only.
	 */
	int (*report)(void *user, int level, uint64_t index);
};

struct verity {
	struct verity_params params;
	struct sha sha;
	size_t block_size;
	size_t digest_size;
	size_t arity; /* hashes in a tree block */
	uint64_t data_blocks;
	unsigned int levels; /* 0: the root hash is that of the only data block, or zeros without data */
	uint64_t level_blocks[VERITY_LEVELS_MAX];
	uint64_t level_start[VERITY_LEVELS_MAX]; /* in the stored tree */
	uint64_t tree_blocks;
	uint8_t padded_salt[SHA_MAX_INPUT_BLOCK];
};

/* Get ready. On failure there is nothing to fini. */
int verity_init(struct verity *v, const struct verity_params *params);
void verity_fini(struct verity *v);

/* Bytes of the stored tree: tree_blocks * block_size. */
uint64_t verity_tree_size(const struct verity *v);

/* Bytes of memory that the functions below need as @work; less than 1.5 MiB. */
size_t verity_work_size(const struct verity *v);

/* Compute the root hash from the data; @root takes digest_size bytes. */
int verity_build(struct verity *v, const struct verity_io *io, void *work, uint8_t root[SHA_MAX_SIZE]);

/* Verify the stored tree and all data. VERITY_MISMATCH if anything was reported. */
int verity_verify(struct verity *v, const struct verity_io *io, const uint8_t *root, void *work);

/* Verify one data block, and the way from it up to the root. */
int verity_verify_block(struct verity *v, const struct verity_io *io, const uint8_t *root, uint64_t index, void *work);

/* Compute the file digest from a descriptor; the size of the signature in it does not count. */
int verity_file_digest(unsigned int algorithm, const uint8_t descriptor[VERITY_DESCRIPTOR_SIZE],
		       uint8_t digest[SHA_MAX_SIZE]);

#endif
