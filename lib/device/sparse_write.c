/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write the contents of a device as an Android sparse file to a stream. The file's header has the number of chunks, and
 * a stream cannot go back: so the same walk runs twice, first counting, then writing. When blocks are not looked at for
 * fill chunks, the first walk needs the extents only.
 */
#include <string.h>

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "device/sparse.h"
#include "device/sparse_write.h"

/* Largest raw chunk: a megabyte costs 12 bytes of header. */
#define BUFFER_SIZE (1u << 20)
/* With smaller blocks chunk headers would take more than they save. */
#define MIN_BLOCK_SIZE 512u

typedef int (*sink_fn)(void *user, const void *bytes, size_t length);

struct writer {
	struct f2fs_device *dev;
	sink_fn sink; /* NULL: count only */
	void *user;
	uint8_t *buffer;
	uint32_t buffer_blocks;
	uint32_t block_size;
	uint32_t chunk_count;
	bool is_unfilled; /* no fill chunks */
	/* A fill or don't-care chunk that may still grow. */
	uint16_t pending_type;
	uint32_t pending_blocks;
	uint8_t pending_pattern[4];
};

static int emit(const struct writer *w, const void *bytes, size_t length)
{
	struct f2fs_context *ctx = w->dev->ctx;
	int rc = w->sink ? w->sink(w->user, bytes, length) : 0;

	/* The sink may have recorded its failure itself. */
	if (rc == 0 || ctx->error.code == rc)
		return rc;
	if (rc < F2FS_SYS_ERROR(0))
		return error_sys(ctx, F2FS_SYS_ERROR(0) - rc, "cannot write the sparse file of %s", w->dev->name);
	return error_set(ctx, rc < 0 ? rc : F2FS_ERR_IO, "cannot write the sparse file of %s", w->dev->name);
}

static int emit_header(const struct writer *w, uint32_t block_count, uint32_t chunk_count)
{
	uint8_t raw[SPARSE_HEADER_SIZE] = { 0 };

	put_le32(raw, SPARSE_MAGIC);
	put_le16(raw + 4, 1);
	put_le16(raw + 8, SPARSE_HEADER_SIZE);
	put_le16(raw + 10, SPARSE_CHUNK_HEADER_SIZE);
	put_le32(raw + 12, w->block_size);
	put_le32(raw + 16, block_count);
	put_le32(raw + 20, chunk_count);
	return emit(w, raw, sizeof(raw));
}

static int emit_chunk(struct writer *w, uint16_t type, uint32_t blocks, const void *data, size_t length)
{
	uint8_t raw[SPARSE_CHUNK_HEADER_SIZE] = { 0 };
	int rc;

	put_le16(raw, type);
	put_le32(raw + 4, blocks);
	put_le32(raw + 8, (uint32_t)(sizeof(raw) + length));
	w->chunk_count++;
	rc = emit(w, raw, sizeof(raw));
	return rc != 0 || length == 0 ? rc : emit(w, data, length);
}

static int end_pending(struct writer *w)
{
	const uint32_t blocks = w->pending_blocks;

	w->pending_blocks = 0;
	if (blocks == 0)
		return 0;
	return emit_chunk(w, w->pending_type, blocks, w->pending_pattern,
			  w->pending_type == SPARSE_CHUNK_FILL ? sizeof(w->pending_pattern) : 0);
}

/* Add blocks that need no bytes of their own; pattern is all zeros for don't-care ones. */
static int add_pending(struct writer *w, uint16_t type, uint32_t blocks, const uint8_t pattern[4])
{
	int rc = 0;

	if (w->pending_blocks == 0 || w->pending_type != type || memcmp(w->pending_pattern, pattern, 4) != 0) {
		rc = end_pending(w);
		w->pending_type = type;
		memcpy(w->pending_pattern, pattern, 4);
	}
	w->pending_blocks += blocks;
	return rc;
}

static bool is_fill(const struct writer *w, const uint8_t *block)
{
	return !w->is_unfilled && memcmp(block, block + 4, w->block_size - 4) == 0;
}

/* Cut the blocks in the buffer into chunks. */
static int add_buffer(struct writer *w, uint32_t blocks)
{
	uint32_t i = 0;
	int rc = 0;

	while (rc == 0 && i < blocks) {
		const uint8_t *start = w->buffer + (size_t)i * w->block_size;
		uint32_t n = 0;

		if (is_fill(w, start)) {
			rc = add_pending(w, SPARSE_CHUNK_FILL, 1, start);
			i++;
			continue;
		}
		while (i + n < blocks && !is_fill(w, start + (size_t)n * w->block_size))
			n++;
		rc = end_pending(w);
		if (rc == 0)
			rc = emit_chunk(w, SPARSE_CHUNK_RAW, n, start, (size_t)n * w->block_size);
		i += n;
	}
	return rc;
}

/* Return how many blocks from offset (a block's start) on are holes as a whole; 0: there are *data_blocks to read. */
static int find_hole(struct writer *w, uint64_t offset, uint32_t *hole_blocks, uint32_t *data_blocks)
{
	const uint64_t left = w->dev->info.size - offset;
	uint64_t length, n;
	int is_hole;
	int rc = device_extent(w->dev, offset, &length, &is_hole);

	if (rc != 0)
		return rc;
	n = is_hole && length < left ? length / w->block_size : div_ceil64(length, w->block_size);
	*hole_blocks = is_hole ? (uint32_t)n : 0;
	/* A hole smaller than a block is read as the data around it. */
	if (n == 0)
		n = 1;
	*data_blocks = n < w->buffer_blocks ? (uint32_t)n : w->buffer_blocks;
	return 0;
}

static int read_blocks(struct writer *w, uint64_t offset, uint32_t blocks)
{
	const uint64_t left = w->dev->info.size - offset;
	const size_t want = (size_t)blocks * w->block_size;
	const size_t have = left < want ? (size_t)left : want;

	if (w->is_unfilled && !w->sink)
		return 0;
	memset(w->buffer + have, 0, want - have);
	return device_read(w->dev, offset, w->buffer, have);
}

static int walk(struct writer *w, uint32_t block_count)
{
	static const uint8_t none[4];
	struct f2fs_progress progress = {
		.task = "save", .phase = w->sink ? "write" : "scan", .unit = "blocks", .total = block_count
	};
	uint32_t hole_blocks, data_blocks;

	w->chunk_count = 0;
	for (uint32_t block = 0; block < block_count; block += hole_blocks ? hole_blocks : data_blocks) {
		const uint64_t offset = (uint64_t)block * w->block_size;
		int rc;

		progress.done = block;
		rc = progress_report(w->dev->ctx, &progress);
		if (rc == 0)
			rc = find_hole(w, offset, &hole_blocks, &data_blocks);
		if (rc == 0 && hole_blocks > 0)
			rc = add_pending(w, SPARSE_CHUNK_DONT_CARE, hole_blocks, none);
		else if (rc == 0)
			rc = read_blocks(w, offset, data_blocks);
		if (rc == 0 && hole_blocks == 0)
			rc = add_buffer(w, data_blocks);
		if (rc != 0)
			return rc;
	}
	return end_pending(w);
}

static int save(struct writer *w, sink_fn sink, uint32_t block_count)
{
	uint32_t counted;
	int rc = walk(w, block_count);

	if (rc != 0)
		return rc;
	counted = w->chunk_count;
	w->sink = sink;
	rc = emit_header(w, block_count, counted);
	if (rc == 0)
		rc = walk(w, block_count);
	if (rc == 0 && w->chunk_count != counted)
		rc = error_set(w->dev->ctx, F2FS_ERR_STATE, "%s changed while it was being saved", w->dev->name);
	return rc;
}

static int start_save(struct f2fs_device *dev, uint32_t block_size, bool is_unfilled, sink_fn sink, void *user)
{
	struct writer w = { .dev = dev,
			    .user = user,
			    .block_size = block_size ? block_size : 4096,
			    .is_unfilled = is_unfilled };
	struct f2fs_context *ctx = dev->ctx;
	uint64_t block_count;
	int rc;

	if (w.block_size % 4 != 0 || w.block_size < MIN_BLOCK_SIZE || w.block_size > BUFFER_SIZE)
		return error_set(ctx, F2FS_ERR_INVALID, "a sparse file cannot have blocks of %lu bytes",
				 (unsigned long)w.block_size);
	block_count = div_ceil64(dev->info.size, w.block_size);
	if (block_count > UINT32_MAX)
		return error_set(ctx, F2FS_ERR_TOO_BIG, "%s is too big for a sparse file with blocks of %lu bytes",
				 dev->name, (unsigned long)w.block_size);
	w.buffer_blocks = BUFFER_SIZE / w.block_size;
	w.buffer = mem_alloc(ctx, (size_t)w.buffer_blocks * w.block_size);
	if (!w.buffer)
		return F2FS_ERR_NOMEM;
	rc = save(&w, sink, (uint32_t)block_count);
	mem_free(ctx, w.buffer);
	return rc;
}

int f2fs_device_save_sparse(struct f2fs_device *dev, uint32_t block_size,
			    int (*sink)(void *user, const void *bytes, size_t length), void *user)
{
	error_clear(dev->ctx);
	return start_save(dev, block_size, false, sink, user);
}

int sparse_save_unfilled(struct f2fs_device *dev, uint32_t block_size,
			 int (*sink)(void *user, const void *bytes, size_t length), void *user)
{
	return start_save(dev, block_size, true, sink, user);
}
