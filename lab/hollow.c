/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * See hollow.h. A table has one leaf for each 2 MiB of the device in which a block is held; a leaf has one cell for
 * each of its 512 blocks.
 */
#include <stdlib.h>
#include <string.h>

#include "cells.h"
#include "hollow.h"

#define LEAF_BLOCKS 512u
#define MAX_BYTES (UINT64_C(64) << 40)

struct leaf {
	struct cell *cells[LEAF_BLOCKS];
	unsigned used; /* cells that are there */
};

struct hollow {
	struct lab_hollow_counts own, *counts; /* counts: the caller's, or own */
	struct cells cells;
	uint64_t blocks, leaf_count;
	struct leaf **leaves;
};

/* Where a request stands in its list of buffers. */
struct cursor {
	const struct f2fs_iovec *iov;
	size_t at; /* within iov */
};

void lab_requests_add(struct lab_requests *requests, uint64_t length)
{
	unsigned class = 0;

	while (class + 1 < LAB_SIZE_CLASSES && length >> (class + 10))
		class++;
	requests->count++;
	requests->bytes += length;
	requests->by_size[class]++;
}

static uint64_t length_of(const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t length = 0;

	for (unsigned i = 0; i < count; i++)
		length += iov[i].length;
	return length;
}

/* Copy n bytes between the buffers of a request and block. */
static void copy(struct cursor *cursor, uint8_t *block, size_t n, int from_request)
{
	while (n > 0) {
		size_t part = cursor->iov->length - cursor->at;
		uint8_t *buffer = (uint8_t *)cursor->iov->base + cursor->at;

		if (part > n)
			part = n;
		if (from_request)
			memcpy(block, buffer, part);
		else
			memcpy(buffer, block, part);
		block += part;
		n -= part;
		cursor->at += part;
		if (cursor->at == cursor->iov->length) {
			cursor->iov++;
			cursor->at = 0;
		}
	}
}

/* Return the next whole block of a request if it is in one buffer, and step over it; otherwise NULL. */
static uint8_t *next_whole(struct cursor *cursor)
{
	uint8_t *block;

	while (cursor->at == cursor->iov->length) {
		cursor->iov++;
		cursor->at = 0;
	}
	if (cursor->iov->length - cursor->at < CELL_BLOCK)
		return NULL;
	block = (uint8_t *)cursor->iov->base + cursor->at;
	cursor->at += CELL_BLOCK;
	return block;
}

static struct cell *cell_of(const struct hollow *hollow, uint64_t number)
{
	const struct leaf *leaf = hollow->leaves[number / LEAF_BLOCKS];

	return leaf ? leaf->cells[number % LEAF_BLOCKS] : NULL;
}

static struct leaf *make_leaf(struct hollow *hollow, uint64_t number)
{
	struct leaf **leaf = &hollow->leaves[number / LEAF_BLOCKS];

	if (!*leaf) {
		*leaf = calloc(1, sizeof(**leaf));
		if (*leaf)
			hollow->counts->memory_bytes += sizeof(**leaf);
	}
	return *leaf;
}

/* Drop the leaf of a block when nothing is left in it. */
static void trim_leaf(struct hollow *hollow, uint64_t number)
{
	struct leaf **leaf = &hollow->leaves[number / LEAF_BLOCKS];

	if (*leaf && (*leaf)->used == 0) {
		free(*leaf);
		*leaf = NULL;
		hollow->counts->memory_bytes -= sizeof(**leaf);
	}
}

static int is_zero(const uint8_t *block)
{
	uint64_t word;

	memcpy(&word, block, sizeof(word));
	return word == 0 && memcmp(block, block + sizeof(word), CELL_BLOCK - sizeof(word)) == 0;
}

static int store(struct hollow *hollow, uint64_t number, const uint8_t *block)
{
	const uint64_t slabs = hollow->cells.bytes;
	struct leaf *leaf = hollow->leaves[number / LEAF_BLOCKS];
	struct cell **slot;
	int was, rc;

	if (!leaf && is_zero(block))
		return 0;
	leaf = make_leaf(hollow, number);
	if (!leaf)
		return F2FS_ERR_NOMEM;
	slot = &leaf->cells[number % LEAF_BLOCKS];
	was = *slot != NULL;
	rc = cells_store(&hollow->cells, slot, block);
	leaf->used = leaf->used - (unsigned)was + (*slot != NULL);
	hollow->counts->held_blocks = hollow->counts->held_blocks - (unsigned)was + (*slot != NULL);
	hollow->counts->memory_bytes += hollow->cells.bytes - slabs;
	trim_leaf(hollow, number);
	return rc == 0 ? 0 : F2FS_ERR_NOMEM;
}

/* Write a part of one block; its other bytes stay. */
static int write_part(struct hollow *hollow, uint64_t offset, size_t n, struct cursor *cursor)
{
	uint8_t block[CELL_BLOCK];

	if (n < CELL_BLOCK)
		cells_load(cell_of(hollow, offset / CELL_BLOCK), block);
	copy(cursor, block + offset % CELL_BLOCK, n, 1);
	return store(hollow, offset / CELL_BLOCK, block);
}

static size_t part_of(uint64_t offset, uint64_t left)
{
	const size_t room = CELL_BLOCK - (size_t)(offset % CELL_BLOCK);

	return left < room ? (size_t)left : room;
}

static int write_hollow(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct hollow *hollow = self;
	struct cursor cursor = { .iov = iov };
	uint64_t left = length_of(iov, count);

	lab_requests_add(&hollow->counts->writes, left);
	while (left > 0) {
		const size_t n = part_of(offset, left);
		const uint8_t *whole = n == CELL_BLOCK ? next_whole(&cursor) : NULL;
		int rc = whole ? store(hollow, offset / CELL_BLOCK, whole) : write_part(hollow, offset, n, &cursor);

		if (rc != 0)
			return rc;
		offset += n;
		left -= n;
	}
	return 0;
}

static int read_hollow(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct hollow *hollow = self;
	struct cursor cursor = { .iov = iov };
	uint64_t left = length_of(iov, count);
	uint8_t block[CELL_BLOCK];

	lab_requests_add(&hollow->counts->reads, left);
	while (left > 0) {
		const size_t n = part_of(offset, left);
		const struct cell *cell = cell_of(hollow, offset / CELL_BLOCK);
		uint8_t *whole = n == CELL_BLOCK ? next_whole(&cursor) : NULL;

		cells_load(cell, whole ? whole : block);
		if (!whole)
			copy(&cursor, block + offset % CELL_BLOCK, n, 0);
		offset += n;
		left -= n;
	}
	return 0;
}

static void drop_block(struct hollow *hollow, uint64_t number)
{
	struct leaf *leaf = hollow->leaves[number / LEAF_BLOCKS];

	if (!leaf || !leaf->cells[number % LEAF_BLOCKS])
		return;
	cells_drop(&hollow->cells, leaf->cells[number % LEAF_BLOCKS]);
	leaf->cells[number % LEAF_BLOCKS] = NULL;
	leaf->used--;
	hollow->counts->held_blocks--;
	trim_leaf(hollow, number);
}

/* Make a range zeros; ranges without a leaf are passed over in one step. */
static int clear(struct hollow *hollow, uint64_t offset, uint64_t length)
{
	const uint64_t end = offset + length;

	while (offset < end) {
		const uint64_t number = offset / CELL_BLOCK;
		size_t n = part_of(offset, end - offset);
		int rc = 0;

		if (!hollow->leaves[number / LEAF_BLOCKS]) {
			offset = (number / LEAF_BLOCKS + 1) * LEAF_BLOCKS * CELL_BLOCK;
			continue;
		}
		if (n == CELL_BLOCK) {
			drop_block(hollow, number);
		} else if (cell_of(hollow, number)) {
			uint8_t block[CELL_BLOCK];

			cells_load(cell_of(hollow, number), block);
			memset(block + offset % CELL_BLOCK, 0, n);
			rc = store(hollow, number, block);
		}
		if (rc != 0)
			return rc;
		offset += n;
	}
	return 0;
}

static int zero_hollow(void *self, uint64_t offset, uint64_t length)
{
	struct hollow *hollow = self;

	lab_requests_add(&hollow->counts->zeros, length);
	return clear(hollow, offset, length);
}

static int discard_hollow(void *self, uint64_t offset, uint64_t length)
{
	struct hollow *hollow = self;

	lab_requests_add(&hollow->counts->discards, length);
	return clear(hollow, offset, length);
}

static int flush_hollow(void *self)
{
	struct hollow *hollow = self;

	hollow->counts->flushes++;
	return 0;
}

static int find_hollow_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct hollow *hollow = self;
	const uint64_t end = hollow->blocks;
	const uint64_t first = offset / CELL_BLOCK;
	const int hole = cell_of(hollow, first) == NULL;
	uint64_t number = first + 1;

	while (number < end && (cell_of(hollow, number) == NULL) == hole)
		number += hollow->leaves[number / LEAF_BLOCKS] ? 1 : LEAF_BLOCKS - number % LEAF_BLOCKS;
	*length = (number < end ? number : end) * CELL_BLOCK - offset;
	*is_hole = hole;
	return 0;
}

static void close_hollow(void *self)
{
	struct hollow *hollow = self;

	for (uint64_t i = 0; i < hollow->leaf_count; i++)
		free(hollow->leaves[i]);
	free(hollow->leaves);
	cells_fini(&hollow->cells);
	free(hollow);
}

static const struct f2fs_device_ops hollow_ops = {
	F2FS_SIZED(f2fs_device_ops),
	.read = read_hollow,
	.write = write_hollow,
	.zero = zero_hollow,
	.discard = discard_hollow,
	.flush = flush_hollow,
	.extent = find_hollow_extent,
	.close = close_hollow,
};

static struct hollow *make_hollow(uint64_t bytes, struct lab_hollow_counts *counts)
{
	struct hollow *hollow = calloc(1, sizeof(*hollow));

	if (!hollow)
		return NULL;
	hollow->counts = counts ? counts : &hollow->own;
	hollow->blocks = bytes / CELL_BLOCK;
	hollow->leaf_count = (hollow->blocks + LEAF_BLOCKS - 1) / LEAF_BLOCKS;
	hollow->leaves = calloc((size_t)hollow->leaf_count, sizeof(struct leaf *));
	if (!hollow->leaves) {
		free(hollow);
		return NULL;
	}
	memset(hollow->counts, 0, sizeof(*hollow->counts));
	hollow->counts->memory_bytes = hollow->leaf_count * sizeof(struct leaf *);
	cells_init(&hollow->cells);
	return hollow;
}

int lab_hollow_open_counted(struct f2fs_context *ctx, uint64_t bytes, struct lab_hollow_counts *counts,
			    struct f2fs_device **out)
{
	const struct f2fs_device_info info = {
		.size = bytes,
		.sector_size = 512,
		.caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_DISCARD | F2FS_DEVICE_ZEROED,
	};
	struct hollow *hollow;
	int rc;

	if (bytes == 0 || bytes % CELL_BLOCK || bytes > MAX_BYTES)
		return f2fs_context_fail(ctx, F2FS_ERR_INVALID,
					 "the size of a hollow device is a multiple of 4096 bytes, up to 64 TiB");
	hollow = make_hollow(bytes, counts);
	if (!hollow)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for the table of a hollow device");
	rc = f2fs_device_open_custom(ctx, &hollow_ops, hollow, &info, out);
	if (rc != 0)
		close_hollow(hollow);
	return rc;
}

int lab_hollow_open(struct f2fs_context *ctx, uint64_t bytes, struct f2fs_device **out)
{
	return lab_hollow_open_counted(ctx, bytes, NULL, out);
}
