/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The contents of an Android sparse file: chunks of raw bytes, of a repeated 32-bit pattern, and of nothing, one after
 * the other. Opening walks the chunk headers once and checks every size against the file; it keeps an index for binary
 * search. The index has a bound: of a file with very many chunks, empty ones counted, only every n-th is kept, and a
 * lookup walks n headers at the most from there.
 *
 * File header (28 bytes, little-endian): magic u32, major u16, minor u16, file_hdr_sz u16, chunk_hdr_sz u16, blk_sz
 * u32, total_blks u32, total_chunks u32, image_checksum u32. Chunk header (12 bytes): type u16, reserved u16, blocks
 * u32, total_sz u32 (with this header). Both may be longer in files of a later minor version.
 */
#include "device/sparse.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/vec.h"
#include "device/iov.h"
#include "device/layer.h"
#include "device/open.h"
#include "device/zstd_frames.h"
#include "device/zstd_read.h"

#define INDEX_LIMIT (1u << 20)
#define WINDOW_SIZE 512u

struct chunk {
	uint64_t offset; /* of its header in the file */
	uint32_t block;	 /* first block of the contents */
	uint32_t blocks;
	uint32_t size; /* in the file, with the header */
	uint16_t type;
};

/* An entry of the index: all that is needed to begin reading at a chunk, and to walk further. */
struct entry {
	uint64_t offset; /* of the header */
	uint32_t block;
	uint16_t type;
};

struct sparse {
	struct layer layer;
	struct vec index; /* struct entry, ascending */
	uint32_t stride;  /* chunks for each entry */
	uint32_t header_size;
	uint32_t chunk_header_size;
	uint32_t block_size;
	uint32_t block_count;
};

/* ---- headers ---- */

/* A small piece of the file around the last header that was read: headers without data are close together. */
struct window {
	uint64_t start;
	size_t length;
	uint8_t bytes[WINDOW_SIZE];
};

static int read_at(const struct sparse *sparse, struct window *window, uint64_t offset, size_t length,
		   const uint8_t **bytes)
{
	const uint64_t size = sparse->layer.inner->info.size;

	if (offset < window->start || offset - window->start > window->length ||
	    window->length - (size_t)(offset - window->start) < length) {
		const uint64_t left = size - offset;
		int rc;

		window->start = offset;
		window->length = left < WINDOW_SIZE ? (size_t)left : WINDOW_SIZE;
		rc = device_read_quiet(sparse->layer.inner, offset, window->bytes, window->length);
		if (rc != 0) {
			window->length = 0;
			return rc;
		}
	}
	*bytes = window->bytes + (offset - window->start);
	return 0;
}

static bool is_known_type(uint16_t type)
{
	return type == SPARSE_CHUNK_RAW || type == SPARSE_CHUNK_FILL || type == SPARSE_CHUNK_DONT_CARE ||
	       type == SPARSE_CHUNK_CRC32;
}

/* The size that a chunk must have in the file. */
static uint64_t expected_size(const struct sparse *sparse, const struct chunk *chunk)
{
	switch (chunk->type) {
	case SPARSE_CHUNK_RAW:
		return sparse->chunk_header_size + (uint64_t)chunk->blocks * sparse->block_size;
	case SPARSE_CHUNK_DONT_CARE:
		return sparse->chunk_header_size;
	default:
		return sparse->chunk_header_size + 4u;
	}
}

/* Load and judge the header at chunk->offset, with chunk->block already set. CORRUPT without a record when it is bad.
 */
static int load_chunk(const struct sparse *sparse, struct window *window, struct chunk *chunk)
{
	const uint64_t size = sparse->layer.inner->info.size;
	const uint8_t *raw;
	int rc;

	if (!range_within(chunk->offset, sparse->chunk_header_size, size))
		return F2FS_ERR_CORRUPT;
	rc = read_at(sparse, window, chunk->offset, SPARSE_CHUNK_HEADER_SIZE, &raw);
	if (rc != 0)
		return rc;
	chunk->type = get_le16(raw);
	chunk->blocks = get_le32(raw + 4);
	chunk->size = get_le32(raw + 8);
	if (!is_known_type(chunk->type) || chunk->size != expected_size(sparse, chunk) ||
	    !range_within(chunk->offset, chunk->size, size))
		return F2FS_ERR_CORRUPT;
	if (chunk->type == SPARSE_CHUNK_CRC32)
		chunk->blocks = 0;
	return chunk->blocks <= sparse->block_count - chunk->block ? 0 : F2FS_ERR_CORRUPT;
}

/* ---- lookup ---- */

static void step_over(struct chunk *chunk)
{
	chunk->offset += chunk->size;
	chunk->block += chunk->blocks;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	return (x->block > y->block) - (x->block < y->block);
}

static const struct entry *find_entry(const struct sparse *sparse, uint32_t block)
{
	return vec_at(&sparse->index, vec_last(&sparse->index, compare_entries, &(struct entry){ .block = block }));
}

/* Find the chunk that holds a block. May run on several threads: nothing of sparse changes. */
static int find_chunk(const struct sparse *sparse, uint32_t block, struct chunk *chunk)
{
	const struct entry *entry = find_entry(sparse, block);
	struct window window;
	int rc;

	chunk->offset = entry->offset;
	chunk->block = entry->block;
	chunk->type = entry->type;
	if (sparse->stride == 1) {
		const struct entry *end = vec_at(&sparse->index, sparse->index.count);
		const uint32_t next = entry + 1 < end ? entry[1].block : sparse->block_count;

		chunk->blocks = next - entry->block;
		return 0;
	}
	window.start = 0;
	window.length = 0;
	for (;;) {
		rc = load_chunk(sparse, &window, chunk);
		if (rc != 0 || chunk->blocks > block - chunk->block)
			return rc;
		step_over(chunk);
	}
}

/* ---- operations ---- */

/* Repeat a pattern of 4 bytes over length bytes; phase: which of them comes first. */
static void fill_pattern(struct iov_cursor *cursor, const uint8_t pattern[4], uint64_t phase, uint64_t length)
{
	while (length > 0) {
		uint8_t *piece;
		const size_t n = iov_next(cursor, length, &piece);

		if (n == 0)
			return;
		for (size_t i = 0; i < n; i++)
			piece[i] = pattern[(phase + i) & 3];
		phase += n;
		length -= n;
	}
}

static int read_raw(const struct sparse *sparse, uint64_t place, struct iov_cursor *cursor, uint64_t length)
{
	int rc = 0;

	while (rc == 0 && length > 0) {
		struct f2fs_iovec part[IOV_PART];
		unsigned filled;
		const uint64_t n = iov_take(cursor, length, part, &filled);

		rc = device_readv_quiet(sparse->layer.inner, place, part, filled);
		place += n;
		length -= n;
	}
	return rc;
}

static int read_sparse(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct sparse *sparse = self;
	uint64_t left = iov_length_capped(iov, count);
	struct iov_cursor cursor;
	int rc = 0;

	iov_cursor_init(&cursor, iov, count);
	while (rc == 0 && left > 0) {
		struct chunk chunk;
		uint8_t pattern[4];
		uint64_t within, n;

		rc = find_chunk(sparse, (uint32_t)(offset / sparse->block_size), &chunk);
		if (rc != 0)
			break;
		within = offset - (uint64_t)chunk.block * sparse->block_size;
		n = (uint64_t)chunk.blocks * sparse->block_size - within;
		if (n > left)
			n = left;
		chunk.offset += sparse->chunk_header_size;
		if (chunk.type == SPARSE_CHUNK_DONT_CARE) {
			iov_zero(&cursor, n);
		} else if (chunk.type == SPARSE_CHUNK_FILL) {
			rc = device_read_quiet(sparse->layer.inner, chunk.offset, pattern, sizeof(pattern));
			if (rc == 0)
				fill_pattern(&cursor, pattern, within & 3, n);
		} else {
			rc = read_raw(sparse, chunk.offset + within, &cursor, n);
		}
		offset += n;
		left -= n;
	}
	return rc;
}

static int find_sparse_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct sparse *sparse = self;
	const uint64_t size = (uint64_t)sparse->block_count * sparse->block_size;
	const uint64_t start = offset;
	bool first = true;
	int rc;

	/* Chunks of a kind often come in rows: a bounded number of them makes one extent. */
	for (unsigned i = 0; i < 1024 && offset < size; i++) {
		struct chunk chunk;

		rc = find_chunk(sparse, (uint32_t)(offset / sparse->block_size), &chunk);
		if (rc != 0)
			return rc;
		if (!first && *is_hole != (chunk.type == SPARSE_CHUNK_DONT_CARE))
			break;
		*is_hole = chunk.type == SPARSE_CHUNK_DONT_CARE;
		first = false;
		offset = ((uint64_t)chunk.block + chunk.blocks) * sparse->block_size;
	}
	*length = offset - start;
	return 0;
}

static void close_sparse(void *self)
{
	struct sparse *sparse = self;

	vec_fini(&sparse->index);
	layer_close(self);
}

static const struct f2fs_device_ops sparse_ops = {
	.read = read_sparse,
	.extent = find_sparse_extent,
	.close = close_sparse,
};

/* ---- opening ---- */

static int refuse_header(struct sparse *sparse, const char *what)
{
	const struct error_where where = { .structure = "android sparse", .rule = DEVICE_RULE_SPARSE_HEADER };

	return error_at(sparse->layer.ctx, F2FS_ERR_CORRUPT, &where, "%s is not a usable Android sparse file: %s",
			sparse->layer.inner->name, what);
}

static int refuse_chunk(struct sparse *sparse, const struct chunk *chunk, uint32_t number, const char *what)
{
	const struct error_where where = { .structure = "android sparse",
					   .rule = DEVICE_RULE_SPARSE_CHUNK,
					   .offset_plus1 = chunk->offset + 1 };

	return error_at(sparse->layer.ctx, F2FS_ERR_CORRUPT, &where,
			"Android sparse file %s: chunk %lu (at byte %llu) %s", sparse->layer.inner->name,
			(unsigned long)number, (unsigned long long)chunk->offset, what);
}

/* Drop every other entry of a full index. */
static void thin_index(struct sparse *sparse)
{
	const size_t half = (sparse->index.count + 1) / 2;

	for (size_t i = 1; i < half; i++)
		*(struct entry *)vec_at(&sparse->index, i) = *(struct entry *)vec_at(&sparse->index, 2 * i);
	sparse->index.count = half;
	sparse->stride *= 2;
}

/* Note the nth (from 0) chunk that has blocks. */
static int index_chunk(struct sparse *sparse, const struct chunk *chunk, uint32_t nth)
{
	struct entry *entry;

	if (nth % sparse->stride != 0)
		return 0;
	if (sparse->index.count == INDEX_LIMIT) {
		thin_index(sparse);
		if (nth % sparse->stride != 0)
			return 0;
	}
	entry = vec_push(&sparse->index, 1);
	if (!entry)
		return F2FS_ERR_NOMEM;
	entry->offset = chunk->offset;
	entry->block = chunk->block;
	entry->type = chunk->type;
	return 0;
}

static int scan_chunks(struct sparse *sparse, uint32_t chunk_count)
{
	struct chunk chunk = { .offset = sparse->header_size };
	struct window window = { .start = 0, .length = 0 };
	uint32_t nth = 0;
	int rc;

	for (uint32_t i = 0; i < chunk_count; i++, step_over(&chunk)) {
		rc = load_chunk(sparse, &window, &chunk);
		if (rc == F2FS_ERR_CORRUPT)
			return refuse_chunk(sparse, &chunk, i, "is damaged or does not fit");
		if (rc != 0)
			return device_report(sparse->layer.inner, rc, "read", chunk.offset, WINDOW_SIZE);
		/* empty ones, too: then no lookup walks over more than a stride of chunks */
		rc = index_chunk(sparse, &chunk, nth++);
		if (rc != 0)
			return rc;
	}
	if (chunk.block != sparse->block_count)
		return refuse_chunk(sparse, &chunk, chunk_count, "is missing: the chunks do not make up the whole");
	return 0;
}

/* Decode the file header; *chunk_count: how many chunks it announces. */
static int load_header(struct sparse *sparse, uint32_t *chunk_count)
{
	uint8_t raw[SPARSE_HEADER_SIZE];
	uint64_t size;
	int rc;

	if (sparse->layer.inner->info.size < sizeof(raw))
		return refuse_header(sparse, "it is too short");
	rc = device_read(sparse->layer.inner, 0, raw, sizeof(raw));
	if (rc != 0)
		return rc;
	sparse->header_size = get_le16(raw + 8);
	sparse->chunk_header_size = get_le16(raw + 10);
	sparse->block_size = get_le32(raw + 12);
	sparse->block_count = get_le32(raw + 16);
	*chunk_count = get_le32(raw + 20);
	if (get_le32(raw) != SPARSE_MAGIC)
		return refuse_header(sparse, "its first bytes are others");
	if (get_le16(raw + 4) != 1)
		return refuse_header(sparse, "its version is not 1");
	if (sparse->header_size < SPARSE_HEADER_SIZE || sparse->chunk_header_size < SPARSE_CHUNK_HEADER_SIZE)
		return refuse_header(sparse, "its headers are too short");
	if (sparse->block_size == 0 || sparse->block_size % 4 != 0)
		return refuse_header(sparse, "its block size is no multiple of 4");
	size = (uint64_t)sparse->block_size * sparse->block_count;
	if (size > INT64_MAX)
		return refuse_header(sparse, "it is too big");
	return 0;
}

static int init_sparse(struct f2fs_device *dev, struct sparse *sparse)
{
	uint32_t chunk_count = 0;
	int rc;

	vec_init(&sparse->index, sparse->layer.ctx, sizeof(struct entry));
	sparse->stride = 1;
	rc = load_header(sparse, &chunk_count);
	if (rc == 0)
		rc = scan_chunks(sparse, chunk_count);
	dev->info.size = (uint64_t)sparse->block_size * sparse->block_count;
	dev->info.start_sector = 0;
	dev->info.sector_size = 512;
	/* Offsets of the contents are not those of the file: messages are about the contents. */
	dev->below = NULL;
	return rc;
}

int sparse_make(struct f2fs_device *inner, struct f2fs_device **out)
{
	struct f2fs_device *dev;
	int rc;

	rc = layer_make(inner, sizeof(struct sparse), &sparse_ops, inner->info.caps & F2FS_DEVICE_PARALLEL, &dev);
	if (rc != 0)
		return rc;
	rc = init_sparse(dev, dev->self);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	*out = dev;
	return 0;
}

int f2fs_device_open_sparse(struct f2fs_device *inner, struct f2fs_device **out)
{
	error_clear(inner->ctx);
	return sparse_make(inner, out);
}

bool sparse_is(struct f2fs_device *dev)
{
	uint8_t raw[4];

	return dev->info.size >= SPARSE_HEADER_SIZE && !(dev->info.caps & F2FS_DEVICE_BLOCK) &&
	       device_read_quiet(dev, 0, raw, sizeof(raw)) == 0 && get_le32(raw) == SPARSE_MAGIC;
}
