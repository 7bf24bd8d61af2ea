/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Merkle trees. Building keeps one unfinished block per level; verifying goes level by level, top
 * first, and needs the current block and its parent only. So memory depends on the block size, not on the file.
 */
#include "base/verity.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"

/* Data is read in pieces of this size (or one block, if that is larger). */
#define CHUNK_SIZE ((size_t)131072)

static int check_params(const struct verity_params *p)
{
	if (p->algorithm != SHA_256 && p->algorithm != SHA_512)
		return VERITY_BAD_PARAMS;
	if (p->log_block < VERITY_LOG_BLOCK_MIN || p->log_block > VERITY_LOG_BLOCK_MAX)
		return VERITY_BAD_PARAMS;
	if (p->salt_size > VERITY_SALT_MAX)
		return VERITY_BAD_PARAMS;
	return sha_is_available(p->algorithm) ? VERITY_OK : VERITY_UNAVAILABLE;
}

static void lay_out_levels(struct verity *v)
{
	uint64_t blocks = v->data_blocks;

	v->levels = 0;
	v->tree_blocks = 0;
	while (blocks > 1) {
		assert(v->levels < VERITY_LEVELS_MAX);
		blocks = div_ceil64(blocks, v->arity);
		v->level_blocks[v->levels++] = blocks;
	}
	for (unsigned int level = v->levels; level-- > 0;) {
		v->level_start[level] = v->tree_blocks;
		v->tree_blocks += v->level_blocks[level];
	}
}

int verity_init(struct verity *v, const struct verity_params *params)
{
	int result = check_params(params);

	if (result != VERITY_OK)
		return result;
	memset(v, 0, sizeof(*v));
	v->params = *params;
	v->block_size = (size_t)1 << params->log_block;
	v->digest_size = sha_size((enum sha_algorithm)params->algorithm);
	v->arity = v->block_size / v->digest_size;
	v->data_blocks = div_ceil64(params->data_size, v->block_size);
	memcpy(v->padded_salt, params->salt, params->salt_size);
	lay_out_levels(v);
	if (sha_init(&v->sha, (enum sha_algorithm)params->algorithm) != 0)
		return VERITY_NO_MEMORY;
	return VERITY_OK;
}

void verity_fini(struct verity *v)
{
	sha_fini(&v->sha);
}

uint64_t verity_tree_size(const struct verity *v)
{
	return v->tree_blocks * v->block_size;
}

static size_t chunk_size(const struct verity *v)
{
	return v->block_size < CHUNK_SIZE ? CHUNK_SIZE : v->block_size;
}

size_t verity_work_size(const struct verity *v)
{
	return (VERITY_LEVELS_MAX + 1) * v->block_size + chunk_size(v);
}

static int hash_block(struct verity *v, const uint8_t *block, uint8_t digest[SHA_MAX_SIZE])
{
	int result = sha_start(&v->sha);

	if (result == 0 && v->params.salt_size > 0)
		result = sha_update(&v->sha, v->padded_salt, sha_input_block(v->sha.algorithm));
	if (result == 0)
		result = sha_update(&v->sha, block, v->block_size);
	if (result == 0)
		result = sha_finish(&v->sha, digest);
	return result == 0 ? VERITY_OK : VERITY_NO_MEMORY;
}

/* Read data blocks from @index on, as many as a chunk holds; the last one is filled up with zeros. */
static int read_chunk(const struct verity *v, const struct verity_io *io, uint64_t index, uint8_t *chunk, size_t *count)
{
	uint64_t offset = index * v->block_size;
	uint64_t left = v->params.data_size - offset;
	size_t n = chunk_size(v), tail;
	int result;

	if (n > left)
		n = (size_t)left;
	result = io->read_data(io->user, offset, chunk, n);
	if (result != 0)
		return result;
	tail = n % v->block_size;
	if (tail != 0) {
		memset(chunk + n, 0, v->block_size - tail);
		n += v->block_size - tail;
	}
	*count = n / v->block_size;
	return 0;
}

/* --- building --- */

struct builder {
	struct verity *v;
	const struct verity_io *io;
	uint8_t *blocks;		  /* one per level, unfinished */
	size_t filled[VERITY_LEVELS_MAX]; /* bytes of each */
	uint64_t done[VERITY_LEVELS_MAX]; /* blocks finished on each level */
	uint8_t digest[SHA_MAX_SIZE];	  /* the last one made; in the end the root hash */
};

static uint8_t *block_of(const struct builder *b, unsigned int level)
{
	return b->blocks + level * b->v->block_size;
}

/* Write the block of @level and leave its hash in the builder. */
static int finish_block(struct builder *b, unsigned int level)
{
	struct verity *v = b->v;
	uint8_t *block = block_of(b, level);
	int result;

	memset(block + b->filled[level], 0, v->block_size - b->filled[level]);
	b->filled[level] = 0;
	if (b->io->write_tree) {
		result = b->io->write_tree(b->io->user, v->level_start[level] + b->done[level], block, v->block_size);
		if (result != 0)
			return result;
	}
	b->done[level]++;
	return hash_block(v, block, b->digest);
}

/* Add the hash in the builder to the tree, from @level up as far as blocks become full (or, at the end, all the way).
 */
static int add_hash(struct builder *b, unsigned int level, bool at_end)
{
	struct verity *v = b->v;
	int result = VERITY_OK;

	for (; level < v->levels && result == VERITY_OK; level++) {
		memcpy(block_of(b, level) + b->filled[level], b->digest, v->digest_size);
		b->filled[level] += v->digest_size;
		if (!at_end && b->filled[level] < v->arity * v->digest_size)
			break;
		result = finish_block(b, level);
	}
	return result;
}

/* Finish the unfinished levels, from below. */
static int close_levels(struct builder *b)
{
	for (unsigned int level = 0; level < b->v->levels; level++) {
		int result;

		if (b->filled[level] == 0)
			continue;
		result = finish_block(b, level);
		if (result == VERITY_OK)
			result = add_hash(b, level + 1, true);
		return result;
	}
	return VERITY_OK; /* the last hash filled every level */
}

int verity_build(struct verity *v, const struct verity_io *io, void *work, uint8_t root[SHA_MAX_SIZE])
{
	struct builder b = { .v = v, .io = io, .blocks = work };
	uint8_t *chunk = b.blocks + (VERITY_LEVELS_MAX + 1) * v->block_size;
	uint64_t index = 0;
	int result;

	while (index < v->data_blocks) {
		size_t count;

		result = read_chunk(v, io, index, chunk, &count);
		if (result != 0)
			return result;
		for (size_t i = 0; i < count && result == VERITY_OK; i++) {
			result = hash_block(v, chunk + i * v->block_size, b.digest);
			if (result == VERITY_OK)
				result = add_hash(&b, 0, false);
		}
		if (result != VERITY_OK)
			return result;
		index += count;
	}
	result = close_levels(&b);
	if (result == VERITY_OK)
		memcpy(root, b.digest, v->digest_size);
	return result;
}

/* --- verifying --- */

struct verifier {
	struct verity *v;
	const struct verity_io *io;
	const uint8_t *root;
	uint8_t *block;	    /* the tree block in question */
	uint8_t *parent;    /* the block that holds its hash */
	uint64_t parent_at; /* where that is in the stored tree; UINT64_MAX: nothing is loaded */
	bool has_mismatch;
};

static void verifier_init(struct verifier *r, struct verity *v, const struct verity_io *io, const uint8_t *root,
			  void *work)
{
	r->v = v;
	r->io = io;
	r->root = root;
	r->block = work;
	r->parent = r->block + v->block_size;
	r->parent_at = UINT64_MAX;
	r->has_mismatch = false;
}

/* Find the hash that block @index of @level must have. */
static int stored_hash(struct verifier *r, int level, uint64_t index, const uint8_t **hash)
{
	const struct verity *v = r->v;
	unsigned int above = (unsigned int)(level + 1);
	uint64_t at;

	if (above == v->levels) {
		*hash = r->root;
		return 0;
	}
	at = v->level_start[above] + index / v->arity;
	if (at != r->parent_at) {
		int result = r->io->read_tree(r->io->user, at, r->parent, v->block_size);

		r->parent_at = result == 0 ? at : UINT64_MAX;
		if (result != 0)
			return result;
	}
	*hash = r->parent + (size_t)(index % v->arity) * v->digest_size;
	return 0;
}

static int check_block(struct verifier *r, int level, uint64_t index, const uint8_t *block)
{
	uint8_t digest[SHA_MAX_SIZE];
	const uint8_t *want;
	int result = stored_hash(r, level, index, &want);

	if (result == 0)
		result = hash_block(r->v, block, digest);
	if (result != 0 || memcmp(digest, want, r->v->digest_size) == 0)
		return result;
	r->has_mismatch = true;
	return r->io->report ? r->io->report(r->io->user, level, index) : VERITY_MISMATCH;
}

static int check_tree_block(struct verifier *r, unsigned int level, uint64_t index)
{
	const struct verity *v = r->v;
	int result = r->io->read_tree(r->io->user, v->level_start[level] + index, r->block, v->block_size);

	return result == 0 ? check_block(r, (int)level, index, r->block) : result;
}

static int check_data(struct verifier *r, uint8_t *chunk)
{
	uint64_t index = 0;

	while (index < r->v->data_blocks) {
		size_t count = 0;
		int result = read_chunk(r->v, r->io, index, chunk, &count);

		for (size_t i = 0; result == 0 && i < count; i++)
			result = check_block(r, VERITY_DATA, index + i, chunk + i * r->v->block_size);
		if (result != 0)
			return result;
		index += count;
	}
	return 0;
}

/* Without data there is nothing to hash; the root hash is zeros. */
static int check_empty(const struct verity *v, const uint8_t *root)
{
	static const uint8_t zeros[SHA_MAX_SIZE];

	return memcmp(root, zeros, v->digest_size) == 0 ? VERITY_OK : VERITY_MISMATCH;
}

int verity_verify(struct verity *v, const struct verity_io *io, const uint8_t *root, void *work)
{
	struct verifier r;
	int result;

	if (v->data_blocks == 0)
		return check_empty(v, root);
	verifier_init(&r, v, io, root, work);
	for (unsigned int level = v->levels; level-- > 0;) {
		for (uint64_t index = 0; index < v->level_blocks[level]; index++) {
			result = check_tree_block(&r, level, index);
			if (result != 0)
				return result;
		}
	}
	result = check_data(&r, (uint8_t *)work + 2 * v->block_size);
	if (result == 0 && r.has_mismatch)
		return VERITY_MISMATCH;
	return result;
}

int verity_verify_block(struct verity *v, const struct verity_io *io, const uint8_t *root, uint64_t index, void *work)
{
	struct verifier r;
	uint64_t left;
	int result;

	assert(index < v->data_blocks);
	verifier_init(&r, v, io, root, work);
	left = v->params.data_size - index * v->block_size;
	memset(r.block, 0, v->block_size);
	result = io->read_data(io->user, index * v->block_size, r.block,
			       left < v->block_size ? (size_t)left : v->block_size);
	if (result == 0)
		result = check_block(&r, VERITY_DATA, index, r.block);
	for (unsigned int level = 0; level < v->levels && result == 0; level++) {
		index /= v->arity;
		result = check_tree_block(&r, level, index);
	}
	return result == 0 && r.has_mismatch ? VERITY_MISMATCH : result;
}

int verity_file_digest(unsigned int algorithm, const uint8_t descriptor[VERITY_DESCRIPTOR_SIZE],
		       uint8_t digest[SHA_MAX_SIZE])
{
	uint8_t copy[VERITY_DESCRIPTOR_SIZE];

	if (algorithm != SHA_256 && algorithm != SHA_512)
		return VERITY_BAD_PARAMS;
	if (!sha_is_available(algorithm))
		return VERITY_UNAVAILABLE;
	memcpy(copy, descriptor, sizeof(copy));
	put_le32(copy + 4, 0); /* sig_size */
	return sha_digest((enum sha_algorithm)algorithm, copy, sizeof(copy), digest) == 0 ? VERITY_OK
											  : VERITY_NO_MEMORY;
}
