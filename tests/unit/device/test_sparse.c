/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Android sparse files: every kind of chunk, odd sizes, huge numbers of chunks, hostile files, and writing them. */
#include "model.h"

#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "device/sparse.h"

/* A sparse file being made, and the contents that it stands for. */
struct image {
	uint8_t *file;
	size_t length, room;
	uint8_t *contents;
	size_t size, contents_room;
	uint32_t block_size;
	uint32_t blocks;
	uint32_t chunks;
	uint32_t head, chunk_head;
};

static uint8_t *grow(struct image *im, size_t n)
{
	uint8_t *place;

	while (im->length + n > im->room) {
		im->room = im->room ? im->room * 2 : 4096;
		im->file = realloc(im->file, im->room);
		assert_non_null(im->file);
	}
	place = im->file + im->length;
	memset(place, 0, n);
	im->length += n;
	return place;
}

static void put_header(struct image *im)
{
	put_le32(im->file, SPARSE_MAGIC);
	put_le16(im->file + 4, 1);
	put_le16(im->file + 8, (uint16_t)im->head);
	put_le16(im->file + 10, (uint16_t)im->chunk_head);
	put_le32(im->file + 12, im->block_size);
	put_le32(im->file + 16, im->blocks);
	put_le32(im->file + 20, im->chunks);
}

static void begin(struct image *im, uint32_t block_size, uint32_t head, uint32_t chunk_head)
{
	memset(im, 0, sizeof(*im));
	im->block_size = block_size;
	im->head = head;
	im->chunk_head = chunk_head;
	grow(im, head);
	put_header(im);
}

static void finish(struct image *im)
{
	free(im->file);
	free(im->contents);
}

static uint8_t *add_contents(struct image *im, uint32_t blocks)
{
	const size_t n = (size_t)blocks * im->block_size;

	if (im->size + n >= im->contents_room) {
		im->contents_room = 2 * (im->size + n + 1);
		im->contents = realloc(im->contents, im->contents_room);
		assert_non_null(im->contents);
	}
	memset(im->contents + im->size, 0, n);
	im->size += n;
	im->blocks += blocks;
	return im->contents + im->size - n;
}

static void add_chunk(struct image *im, uint16_t type, uint32_t blocks, uint64_t seed)
{
	const size_t n = (size_t)blocks * im->block_size;
	const size_t data = type == SPARSE_CHUNK_RAW ? n : type == SPARSE_CHUNK_DONT_CARE ? 0 : 4;
	uint8_t *raw = grow(im, im->chunk_head + data);
	uint8_t *contents = add_contents(im, type == SPARSE_CHUNK_CRC32 ? 0 : blocks);

	put_le16(raw, type);
	put_le32(raw + 4, blocks);
	put_le32(raw + 8, (uint32_t)(im->chunk_head + data));
	test_fill(raw + im->chunk_head, data, seed);
	if (type == SPARSE_CHUNK_RAW)
		memcpy(contents, raw + im->chunk_head, n);
	for (size_t i = 0; type == SPARSE_CHUNK_FILL && i < n; i++)
		contents[i] = raw[im->chunk_head + i % 4];
	im->chunks++;
	put_header(im);
}

static int open_bytes(struct test_host *host, const uint8_t *bytes, size_t length, struct f2fs_device **out)
{
	struct f2fs_device *memory;
	int rc;

	assert_int_equal(f2fs_device_open_memory(host->ctx, length, &memory), 0);
	assert_int_equal(f2fs_device_write(memory, 0, bytes, length), 0);
	rc = f2fs_device_open_sparse(memory, out);
	f2fs_device_close(memory);
	return rc;
}

static void compare(struct f2fs_device *dev, const uint8_t *contents, size_t size, unsigned reads, uint64_t random)
{
	uint8_t *buffer = malloc(size + 1);

	assert_non_null(buffer);
	assert_int_equal(f2fs_device_info(dev)->size, size);
	assert_int_equal(f2fs_device_read(dev, 0, buffer, size), 0);
	assert_memory_equal(buffer, contents, size);
	for (unsigned i = 0; i < reads && size > 0; i++) {
		const size_t at = (size_t)test_random(&random, size);
		const size_t n = (size_t)test_random(&random, ((size - at) >> test_random(&random, 20)) + 1);
		struct f2fs_iovec iov[2] = { { buffer, n / 3 }, { buffer + n / 3, n - n / 3 } };

		memset(buffer, 0xa5, n);
		assert_int_equal(f2fs_device_readv(dev, at, iov, 2), 0);
		assert_memory_equal(buffer, contents + at, n);
	}
	for (uint64_t at = 0; at < size;) {
		uint64_t length;
		int is_hole;

		assert_int_equal(f2fs_device_extent(dev, at, &length, &is_hole), 0);
		assert_true(length > 0);
		for (uint64_t i = at; is_hole && i < at + length; i++)
			assert_int_equal(contents[i], 0);
		at += length;
	}
	free(buffer);
}

static void make_mixture(struct image *im, uint32_t block_size, uint32_t head, uint32_t chunk_head, unsigned chunks)
{
	static const uint16_t types[] = { SPARSE_CHUNK_RAW, SPARSE_CHUNK_FILL, SPARSE_CHUNK_DONT_CARE,
					  SPARSE_CHUNK_CRC32 };
	uint64_t random = block_size + chunks;

	begin(im, block_size, head, chunk_head);
	for (unsigned i = 0; i < chunks; i++)
		add_chunk(im, types[test_random(&random, 4)], (uint32_t)test_random(&random, 5), i);
}

static void reads_every_kind_of_chunk(void **state)
{
	static const struct {
		uint32_t block_size, head, chunk_head;
	} shapes[] = { { 4096, 28, 12 }, { 4, 28, 12 }, { 12, 40, 20 }, { 65536, 65535, 65535 }, { 4100, 28, 1000 } };

	(void)state;
	for (unsigned i = 0; i < 5; i++) {
		struct test_host host;
		struct f2fs_device *dev;
		struct image im;

		test_host_init(&host);
		make_mixture(&im, shapes[i].block_size, shapes[i].head, shapes[i].chunk_head, 40);
		assert_int_equal(open_bytes(&host, im.file, im.length, &dev), 0);
		assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_PARALLEL);
		compare(dev, im.contents, im.size, 300, i);
		assert_int_equal(f2fs_device_write(dev, 0, "x", 1), F2FS_ERR_READ_ONLY);
		f2fs_device_close(dev);
		finish(&im);
		test_host_fini(&host);
	}
}

static void empty_files_are_empty(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	struct image im;
	uint8_t byte;

	(void)state;
	test_host_init(&host);
	begin(&im, 4096, 28, 12);
	assert_int_equal(open_bytes(&host, im.file, im.length, &dev), 0);
	assert_int_equal(f2fs_device_info(dev)->size, 0);
	assert_int_equal(f2fs_device_read(dev, 0, &byte, 1), F2FS_ERR_RANGE);
	f2fs_device_close(dev);
	finish(&im);
	test_host_fini(&host);
}

/* More chunks than the index holds: the same contents, and memory stays within bounds. */
struct meter {
	size_t sizes[4096];
	void *places[4096];
	size_t now, most;
};

static void *measure_realloc(void *user, void *ptr, size_t size)
{
	struct meter *meter = user;
	unsigned slot = 0;
	void *p;

	while (slot < 4095 && meter->places[slot] != ptr)
		slot++;
	if (ptr)
		meter->now -= meter->sizes[slot];
	if (size == 0) {
		if (ptr)
			meter->places[slot] = NULL;
		free(ptr);
		return NULL;
	}
	p = realloc(ptr, size);
	meter->places[slot] = p;
	meter->sizes[slot] = size;
	meter->now += size;
	if (meter->now > meter->most)
		meter->most = meter->now;
	return p;
}

static int read_bytes(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		memcpy(iov[i].base, (const uint8_t *)self + offset, iov[i].length);
		offset += iov[i].length;
	}
	return 0;
}

static void very_many_chunks_take_bounded_memory(void **state)
{
	enum { CHUNKS = 4500000 };
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops), .read = read_bytes };
	struct f2fs_device_info info = { .caps = F2FS_DEVICE_PARALLEL };
	struct meter *meter = calloc(1, sizeof(*meter));
	const struct f2fs_host callbacks = { F2FS_SIZED(f2fs_host), .user = meter, .realloc = measure_realloc };
	struct f2fs_context *ctx;
	struct f2fs_device *inner, *dev;
	uint8_t *file = calloc(CHUNKS * 16 + 28, 1), *at = file;
	uint64_t random = 1;
	uint8_t four[4], pattern[4];

	(void)state;
	assert_true(meter && file);
	put_le32(at, SPARSE_MAGIC);
	put_le16(at + 4, 1);
	put_le16(at + 8, 28);
	put_le16(at + 10, 12);
	put_le32(at + 12, 4);
	put_le32(at + 16, CHUNKS);
	put_le32(at + 20, CHUNKS);
	at += 28;
	for (uint32_t i = 0; i < CHUNKS; i++, at += 16) {
		put_le16(at, SPARSE_CHUNK_FILL);
		put_le32(at + 4, 1);
		put_le32(at + 8, 16);
		put_le32(at + 12, i * 2654435761u);
	}
	info.size = (uint64_t)(at - file);
	assert_int_equal(f2fs_context_open(&callbacks, &ctx), 0);
	assert_int_equal(f2fs_device_open_custom(ctx, &ops, file, &info, &inner), 0);
	assert_int_equal(f2fs_device_open_sparse(inner, &dev), 0);
	assert_true(meter->most < 40u << 20);
	for (unsigned i = 0; i < 20000; i++) {
		const uint32_t block = (uint32_t)test_random(&random, CHUNKS);

		put_le32(pattern, block * 2654435761u);
		assert_int_equal(f2fs_device_read(dev, (uint64_t)block * 4, four, 4), 0);
		assert_memory_equal(four, pattern, 4);
	}
	f2fs_device_close(dev);
	f2fs_device_close(inner);
	f2fs_context_close(ctx);
	free(file);
	free(meter);
}

/* Expect a refusal that names a rule. */
static void expect_corrupt(struct test_host *host, const uint8_t *bytes, size_t length, const char *rule)
{
	struct f2fs_device *dev = NULL;

	assert_int_equal(open_bytes(host, bytes, length, &dev), F2FS_ERR_CORRUPT);
	assert_null(dev);
	assert_string_equal(f2fs_context_error(host->ctx)->rule, rule);
	assert_string_equal(f2fs_context_error(host->ctx)->structure, "android sparse");
}

/* More chunks than the index holds, and a heap of empty ones in one place: a lookup there is short all the same. */
static void empty_chunks_do_not_make_lookups_long(void **state)
{
	struct f2fs_fault_rule none = { 0 };
	struct f2fs_device *memory, *fault, *dev;
	uint64_t reads, before, other;
	struct test_host host;
	struct image im;
	uint8_t byte;

	(void)state;
	test_host_init(&host);
	begin(&im, 4, 28, 12);
	for (unsigned i = 0; i < (1u << 20) + 2; i++)
		add_chunk(&im, SPARSE_CHUNK_DONT_CARE, 1, 0);
	for (unsigned i = 0; i < 200000; i++)
		add_chunk(&im, SPARSE_CHUNK_DONT_CARE, 0, 0);
	add_chunk(&im, SPARSE_CHUNK_RAW, 1, 7);
	put_header(&im);
	assert_int_equal(f2fs_device_open_memory(host.ctx, im.length, &memory), 0);
	assert_int_equal(f2fs_device_write(memory, 0, im.file, im.length), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	assert_int_equal(f2fs_device_open_sparse(fault, &dev), 0);
	f2fs_device_fault_set(fault, &none);
	f2fs_device_fault_counts(fault, &before, &other, &other);
	assert_int_equal(f2fs_device_read(dev, im.size - 1, &byte, 1), 0);
	assert_int_equal(byte, im.contents[im.size - 1]);
	f2fs_device_fault_counts(fault, &reads, &other, &other);
	assert_in_range(reads - before, 1, 8);
	f2fs_device_close(dev);
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	test_host_fini(&host);
	finish(&im);
}

static void hostile_headers_are_refused(void **state)
{
	static const struct {
		unsigned offset, width;
		uint32_t value;
		const char *rule;
	} edits[] = {
		{ 0, 4, 0x12345678, "SPARSE_HEADER" },
		{ 4, 2, 2, "SPARSE_HEADER" },
		{ 4, 2, 0, "SPARSE_HEADER" },
		{ 8, 2, 27, "SPARSE_HEADER" },
		{ 10, 2, 11, "SPARSE_HEADER" },
		{ 12, 4, 0, "SPARSE_HEADER" },
		{ 12, 4, 4097, "SPARSE_HEADER" },
		{ 12, 4, 4, "SPARSE_CHUNK" },
		{ 12, 4, 0xfffffffc, "SPARSE_CHUNK" },
		{ 8, 2, 29, "SPARSE_CHUNK" },
		{ 10, 2, 13, "SPARSE_CHUNK" },
		{ 10, 2, 65535, "SPARSE_CHUNK" },
		{ 16, 4, 0, "SPARSE_CHUNK" },
		{ 16, 4, 8, "SPARSE_CHUNK" },
		{ 16, 4, 10, "SPARSE_CHUNK" },
		{ 16, 4, 0xffffffff, "SPARSE_CHUNK" },
		{ 20, 4, 0, "SPARSE_CHUNK" },
		{ 20, 4, 2, "SPARSE_CHUNK" },
		{ 20, 4, 4, "SPARSE_CHUNK" },
		{ 20, 4, 0xffffffff, "SPARSE_CHUNK" },
		/* The first chunk: 3 raw blocks. */
		{ 28, 2, 0xcac0, "SPARSE_CHUNK" },
		{ 28, 2, SPARSE_CHUNK_FILL, "SPARSE_CHUNK" },
		{ 28, 2, SPARSE_CHUNK_CRC32, "SPARSE_CHUNK" },
		{ 28, 2, SPARSE_CHUNK_DONT_CARE, "SPARSE_CHUNK" },
		{ 32, 4, 0, "SPARSE_CHUNK" },
		{ 32, 4, 4, "SPARSE_CHUNK" },
		{ 32, 4, 0xffffffff, "SPARSE_CHUNK" },
		{ 36, 4, 0, "SPARSE_CHUNK" },
		{ 36, 4, 11, "SPARSE_CHUNK" },
		{ 36, 4, 0xffffffff, "SPARSE_CHUNK" },
		{ 36, 4, 12 + 2 * 4096, "SPARSE_CHUNK" },
	};
	struct test_host host;
	struct f2fs_device *dev;
	struct image im;
	uint8_t *copy;

	(void)state;
	test_host_init(&host);
	begin(&im, 4096, 28, 12);
	add_chunk(&im, SPARSE_CHUNK_RAW, 3, 1);
	add_chunk(&im, SPARSE_CHUNK_DONT_CARE, 4, 2);
	add_chunk(&im, SPARSE_CHUNK_FILL, 2, 3);
	copy = malloc(im.length);
	assert_non_null(copy);
	for (unsigned i = 0; i < sizeof(edits) / sizeof(edits[0]); i++) {
		memcpy(copy, im.file, im.length);
		if (edits[i].width == 2)
			put_le16(copy + edits[i].offset, (uint16_t)edits[i].value);
		else
			put_le32(copy + edits[i].offset, edits[i].value);
		expect_corrupt(&host, copy, im.length, edits[i].rule);
	}
	/* Cut anywhere it is too short; bytes after the last chunk do not matter. */
	for (size_t n = 0; n < im.length; n += n < 60 || n > im.length - 30 ? 1 : 611)
		expect_corrupt(&host, im.file, n, n < 28 ? "SPARSE_HEADER" : "SPARSE_CHUNK");
	grow(&im, 100);
	assert_int_equal(open_bytes(&host, im.file, im.length, &dev), 0);
	f2fs_device_close(dev);
	/* Blocks that add up beyond 32 bits, and contents beyond 63. */
	finish(&im);
	begin(&im, 0x80000000, 28, 12);
	for (unsigned i = 0; i < 3; i++) {
		uint8_t *raw = grow(&im, 12);

		put_le16(raw, SPARSE_CHUNK_DONT_CARE);
		put_le32(raw + 4, 0x80000000);
		put_le32(raw + 8, 12);
	}
	im.chunks = 3;
	im.blocks = 0x80000000;
	put_header(&im);
	expect_corrupt(&host, im.file, im.length, "SPARSE_CHUNK");
	im.blocks = 0xffffffff;
	im.block_size = 0xfffffffc;
	put_header(&im);
	expect_corrupt(&host, im.file, im.length, "SPARSE_HEADER");
	finish(&im);
	free(copy);
	test_host_fini(&host);
}

/* Damaged at random: refused, or read without harm. */
static void random_damage_does_no_harm(void **state)
{
	struct test_host host;
	uint64_t random = 5;
	struct image im;
	uint8_t *copy, buffer[5000];
	unsigned opened = 0;

	(void)state;
	test_host_init(&host);
	make_mixture(&im, 64, 28, 12, 30);
	copy = malloc(im.length);
	assert_non_null(copy);
	for (unsigned i = 0; i < 20000; i++) {
		struct f2fs_device *dev;
		uint64_t size;

		memcpy(copy, im.file, im.length);
		for (uint64_t n = test_random(&random, 4); n < 4; n++)
			copy[test_random(&random, im.length)] ^= (uint8_t)(1u << test_random(&random, 8));
		if (open_bytes(&host, copy, im.length, &dev) != 0)
			continue;
		opened++;
		size = f2fs_device_info(dev)->size;
		for (uint64_t at = 0; at < size && at < 100000; at += sizeof(buffer)) {
			const uint64_t left = size - at;

			assert_int_equal(f2fs_device_read(dev, at, buffer,
							  left < sizeof(buffer) ? (size_t)left : sizeof(buffer)),
					 0);
		}
		f2fs_device_close(dev);
	}
	assert_true(opened > 1000);
	free(copy);
	finish(&im);
	test_host_fini(&host);
}

/* ---- writing ---- */

struct sink {
	uint8_t *bytes;
	size_t length;
	unsigned calls, fail_at;
	struct f2fs_context *ctx; /* not NULL: record the failure in words */
};

static int take_bytes(void *user, const void *bytes, size_t length)
{
	struct sink *sink = user;

	if (++sink->calls == sink->fail_at && sink->ctx)
		return f2fs_context_fail(sink->ctx, F2FS_ERR_CANCELED, "enough of it");
	if (sink->calls == sink->fail_at)
		return F2FS_SYS_ERROR(28);
	sink->bytes = realloc(sink->bytes, sink->length + length);
	assert_non_null(sink->bytes);
	memcpy(sink->bytes + sink->length, bytes, length);
	sink->length += length;
	return 0;
}

/* Data, patterns, zeros and holes; the last block is short. */
static void make_contents(struct f2fs_device *dev, uint8_t *contents, size_t size)
{
	memset(contents, 0, size);
	test_fill(contents + 5000, 200000, 1);
	memset(contents + 50000, 0xff, 30000);
	for (size_t i = 300000; i < 400000; i++)
		contents[i] = (uint8_t)(i % 4 * 17);
	test_fill(contents + 2500000, 1500000, 2);
	contents[size - 1] = 1;
	assert_int_equal(f2fs_device_write(dev, 0, contents, 450000), 0);
	assert_int_equal(f2fs_device_write(dev, 2500000, contents + 2500000, 1500000), 0);
	assert_int_equal(f2fs_device_write(dev, size - 1, contents + size - 1, 1), 0);
}

static void written_files_read_back(void **state)
{
	enum { SIZE = 4500001 };
	static const uint32_t block_sizes[] = { 0, 4096, 512, 1024, 1048576, 4100 };
	uint8_t *contents = malloc(SIZE + 1048576);

	(void)state;
	assert_non_null(contents);
	for (unsigned i = 0; i < 6; i++) {
		const size_t unit = block_sizes[i] ? block_sizes[i] : 4096;
		struct test_host host;
		struct f2fs_device *memory, *dev;
		struct sink sink = { 0 }, again = { 0 };

		test_host_init(&host);
		assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
		make_contents(memory, contents, SIZE);
		memset(contents + SIZE, 0, 1048576);
		assert_int_equal(f2fs_device_save_sparse(memory, block_sizes[i], take_bytes, &sink), 0);
		if (unit <= 4100)
			assert_true(sink.length < 1900000);
		assert_int_equal(open_bytes(&host, sink.bytes, sink.length, &dev), 0);
		compare(dev, contents, (SIZE + unit - 1) / unit * unit, 50, i);
		/* Saving its contents makes an equal file again. */
		assert_int_equal(f2fs_device_save_sparse(dev, block_sizes[i], take_bytes, &again), 0);
		f2fs_device_close(dev);
		assert_int_equal(open_bytes(&host, again.bytes, again.length, &dev), 0);
		compare(dev, contents, (SIZE + unit - 1) / unit * unit, 0, i);
		f2fs_device_close(dev);
		free(sink.bytes);
		free(again.bytes);
		f2fs_device_close(memory);
		test_host_fini(&host);
	}
	free(contents);
}

/* Holes alone: one chunk, and nothing is read. */
static void a_big_hole_is_small(void **state)
{
	const struct f2fs_fault_rule rule = { .fail_read = 1, .sticky = 1 };
	struct test_host host;
	struct f2fs_device *memory, *fault;
	struct sink sink = { 0 };

	(void)state;
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, (uint64_t)1 << 43, &memory), 0);
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	f2fs_device_fault_set(fault, &rule);
	assert_int_equal(f2fs_device_save_sparse(fault, 0, take_bytes, &sink), 0);
	assert_int_equal(sink.length, 28 + 12);
	assert_int_equal(get_le32(sink.bytes + 16), (uint64_t)1 << 31);
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	assert_int_equal(f2fs_device_open_memory(host.ctx, (uint64_t)1 << 45, &memory), 0);
	assert_int_equal(f2fs_device_save_sparse(memory, 0, take_bytes, &sink), F2FS_ERR_TOO_BIG);
	assert_int_equal(f2fs_device_save_sparse(memory, 4097, take_bytes, &sink), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_save_sparse(memory, 508, take_bytes, &sink), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_save_sparse(memory, 2097152, take_bytes, &sink), F2FS_ERR_INVALID);
	f2fs_device_close(memory);
	free(sink.bytes);
	test_host_fini(&host);
}

static void writing_fails_cleanly(void **state)
{
	enum { SIZE = 4500001 };
	uint8_t *contents = malloc(SIZE);
	struct test_host host;
	struct f2fs_device *memory, *fault;
	int rc = -1;

	(void)state;
	assert_non_null(contents);
	test_host_init(&host);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	make_contents(memory, contents, SIZE);
	for (unsigned n = 1; rc != 0; n++) {
		struct sink sink = { .fail_at = n };

		rc = f2fs_device_save_sparse(memory, 65536, take_bytes, &sink);
		assert_int_equal(rc, n <= sink.calls ? F2FS_ERR_NOSPC : 0);
		if (rc != 0)
			assert_int_equal(f2fs_context_error(host.ctx)->sys_errno, 28);
		free(sink.bytes);
		assert_true(n > 10 || rc != 0);
	}
	{
		struct sink sink = { .fail_at = 3, .ctx = host.ctx };

		assert_int_equal(f2fs_device_save_sparse(memory, 0, take_bytes, &sink), F2FS_ERR_CANCELED);
		assert_string_equal(f2fs_context_error(host.ctx)->message, "enough of it");
		free(sink.bytes);
	}
	assert_int_equal(f2fs_device_open_fault(memory, &fault), 0);
	rc = -1;
	for (uint64_t n = 1; rc != 0; n++) {
		const struct f2fs_fault_rule rule = { .fail_read = n };
		struct sink sink = { 0 };

		f2fs_device_fault_set(fault, &rule);
		rc = f2fs_device_save_sparse(fault, 65536, take_bytes, &sink);
		assert_true(rc == 0 || rc == F2FS_ERR_IO);
		assert_true(n > 6 || rc != 0);
		free(sink.bytes);
	}
	host.fail_at = host.calls + 1;
	assert_int_equal(f2fs_device_save_sparse(memory, 0, take_bytes, NULL), F2FS_ERR_NOMEM);
	host.fail_at = 0;
	f2fs_device_close(fault);
	f2fs_device_close(memory);
	free(contents);
	test_host_fini(&host);
}

static void save_file(const char *path, const void *bytes, size_t length)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, length, f), length);
	assert_int_equal(fclose(f), 0);
}

static void images_are_recognised(void **state)
{
	struct test_host host;
	struct f2fs_device *dev = NULL;
	struct image im;
	char path[64];

	(void)state;
	test_host_init(&host);
	test_path(path);
	make_mixture(&im, 4096, 28, 12, 20);
	save_file(path, im.file, im.length);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_READ, &dev), 0);
	compare(dev, im.contents, im.size, 100, 3);
	f2fs_device_close(dev);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_WRITE, &dev), F2FS_ERR_READ_ONLY);
	/* Too short, another beginning, or damaged. */
	assert_int_equal(truncate(path, 27), 0);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_READ, &dev), 0);
	assert_int_equal(f2fs_device_info(dev)->size, 27);
	f2fs_device_close(dev);
	assert_int_equal(truncate(path, 28), 0);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_READ, &dev), F2FS_ERR_CORRUPT);
	assert_int_equal(truncate(path, 0), 0);
	assert_int_equal(truncate(path, 8192), 0);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_WRITE, &dev), 0);
	assert_int_equal(f2fs_device_write(dev, 0, "x", 1), 0);
	f2fs_device_close(dev);
	unlink(path);
	assert_int_equal(f2fs_device_open_image(host.ctx, path, F2FS_OPEN_READ, &dev), F2FS_ERR_NOT_FOUND);
	finish(&im);
	test_host_fini(&host);
}

/* We read the files of other tools, and they read ours, when they are installed. */
static void agrees_with_other_tools(void **state)
{
	enum { SIZE = 4500000 / 4096 * 4096 };
	uint8_t *contents, *back;
	char theirs[64], ours[64], raw[64], command[300];
	struct test_host host;
	struct f2fs_device *memory, *dev;
	struct sink sink = { 0 };
	FILE *f;

	(void)state;
	if (system("command -v simg2img >/dev/null && command -v img2simg >/dev/null") != 0)
		skip();
	contents = malloc(SIZE);
	back = malloc(SIZE);
	assert_true(contents && back);
	test_host_init(&host);
	test_path(theirs);
	test_path(ours);
	test_path(raw);
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &memory), 0);
	make_contents(memory, contents, SIZE);
	assert_int_equal(f2fs_device_save_sparse(memory, 0, take_bytes, &sink), 0);
	save_file(ours, sink.bytes, sink.length);
	snprintf(command, sizeof(command), "simg2img %s %s", ours, raw);
	assert_int_equal(system(command), 0);
	f = fopen(raw, "rb");
	assert_non_null(f);
	assert_int_equal(fread(back, 1, SIZE, f), SIZE);
	assert_int_equal(getc(f), EOF);
	fclose(f);
	assert_memory_equal(back, contents, SIZE);
	snprintf(command, sizeof(command), "img2simg %s %s", raw, theirs);
	assert_int_equal(system(command), 0);
	assert_int_equal(f2fs_device_open_image(host.ctx, theirs, F2FS_OPEN_READ, &dev), 0);
	compare(dev, contents, SIZE, 100, 1);
	f2fs_device_close(dev);
	f2fs_device_close(memory);
	unlink(theirs);
	unlink(ours);
	unlink(raw);
	free(sink.bytes);
	free(contents);
	free(back);
	test_host_fini(&host);
}

static void survives_failing_allocations(void **state)
{
	struct test_host host;
	struct f2fs_device *memory, *dev = NULL;
	struct image im;
	int rc = -1;

	(void)state;
	test_host_init(&host);
	make_mixture(&im, 16, 28, 12, 200);
	assert_int_equal(f2fs_device_open_memory(host.ctx, im.length, &memory), 0);
	assert_int_equal(f2fs_device_write(memory, 0, im.file, im.length), 0);
	for (uint64_t n = 1; rc != 0; n++) {
		host.fail_at = host.calls + n;
		rc = f2fs_device_open_sparse(memory, &dev);
		assert_true(rc == 0 || rc == F2FS_ERR_NOMEM);
		assert_true(n > 4 || rc != 0);
	}
	host.fail_at = 0;
	compare(dev, im.contents, im.size, 10, 1);
	f2fs_device_close(dev);
	f2fs_device_close(memory);
	finish(&im);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_every_kind_of_chunk),
		cmocka_unit_test(empty_files_are_empty),
		cmocka_unit_test(very_many_chunks_take_bounded_memory),
		cmocka_unit_test(empty_chunks_do_not_make_lookups_long),
		cmocka_unit_test(hostile_headers_are_refused),
		cmocka_unit_test(random_damage_does_no_harm),
		cmocka_unit_test(written_files_read_back),
		cmocka_unit_test(a_big_hole_is_small),
		cmocka_unit_test(writing_fails_cleanly),
		cmocka_unit_test(images_are_recognised),
		cmocka_unit_test(agrees_with_other_tools),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
