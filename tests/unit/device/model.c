/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The model of a device: see model.h.
 */
#include "model.h"

#include <stdio.h>
#include <unistd.h>

static void *count_realloc(void *user, void *ptr, size_t size)
{
	struct test_host *host = user;

	if (size == 0) {
		if (ptr)
			host->live--;
		free(ptr);
		return NULL;
	}
	host->calls++;
	if (host->fail_at != 0 && host->calls >= host->fail_at)
		return NULL;
	if (!ptr)
		host->live++;
	return realloc(ptr, size);
}

void test_host_init(struct test_host *host)
{
	const struct f2fs_host callbacks = { F2FS_SIZED(f2fs_host), .user = host, .realloc = count_realloc };

	memset(host, 0, sizeof(*host));
	assert_int_equal(f2fs_context_open(&callbacks, &host->ctx), 0);
}

void test_host_fini(struct test_host *host)
{
	f2fs_context_close(host->ctx);
	assert_int_equal(host->live, 0);
}

uint64_t test_random(uint64_t *state, uint64_t limit)
{
	uint64_t z = *state += 0x9E3779B97F4A7C15u;

	z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
	z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
	return (z ^ (z >> 31)) % limit;
}

void test_fill(uint8_t *bytes, size_t length, uint64_t seed)
{
	for (size_t i = 0; i < length; i += 8) {
		const uint64_t eight = test_random(&seed, UINT64_MAX);

		memcpy(bytes + i, &eight, length - i < 8 ? length - i : 8);
	}
}

void model_init(struct model *m, struct f2fs_device *dev, uint64_t start, size_t size, uint64_t seed)
{
	m->dev = dev;
	m->start = start;
	m->bytes = calloc(1, size);
	m->size = size;
	m->random = seed;
	m->unit = 1;
	assert_non_null(m->bytes);
}

void model_fini(struct model *m)
{
	free(m->bytes);
}

/* A range; small ones are as likely as large ones. */
static void choose_range(struct model *m, unsigned unit, size_t *offset, size_t *length)
{
	const uint64_t limit = (uint64_t)1 << test_random(&m->random, 20);
	size_t n = (size_t)test_random(&m->random, limit) + 1;

	*offset = (size_t)test_random(&m->random, m->size) / unit * unit;
	n = (n + unit - 1) / unit * unit;
	*length = n < m->size - *offset ? n : m->size - *offset;
}

/* Cut a buffer into a list of up to 8 pieces, some of them empty. */
static unsigned cut_buffer(struct model *m, uint8_t *buffer, size_t length, struct f2fs_iovec iov[8])
{
	unsigned count = 0;

	while (count < 7 && length > 0) {
		size_t n = (size_t)test_random(&m->random, length + 1);

		if (test_random(&m->random, 4) == 0)
			n = 0;
		iov[count].base = buffer;
		iov[count++].length = n;
		buffer += n;
		length -= n;
	}
	iov[count].base = buffer;
	iov[count].length = length;
	return count + 1;
}

static void compare_range(struct model *m, size_t offset, size_t length)
{
	uint8_t *buffer = malloc(length + 1);
	struct f2fs_iovec iov[8];
	unsigned count;

	assert_non_null(buffer);
	memset(buffer, 0xa5, length);
	count = cut_buffer(m, buffer, length, iov);
	assert_int_equal(f2fs_device_readv(m->dev, m->start + offset, iov, count), 0);
	assert_memory_equal(buffer, m->bytes + offset, length);
	free(buffer);
}

static void write_range(struct model *m, size_t offset, size_t length)
{
	struct f2fs_iovec iov[8];
	unsigned count;

	test_fill(m->bytes + offset, length, m->random++);
	count = cut_buffer(m, m->bytes + offset, length, iov);
	assert_int_equal(f2fs_device_writev(m->dev, m->start + offset, iov, count), 0);
}

static void zero_range(struct model *m, size_t offset, size_t length)
{
	memset(m->bytes + offset, 0, length);
	assert_int_equal(f2fs_device_zero(m->dev, m->start + offset, length), 0);
}

/* A discarded range has no defined contents: write it again. */
static void discard_range(struct model *m, size_t offset, size_t length)
{
	assert_int_equal(f2fs_device_discard(m->dev, m->start + offset, length), 0);
	assert_int_equal(f2fs_device_write(m->dev, m->start + offset, m->bytes + offset, length), 0);
}

/* Holes read as zeros, and an extent is never empty. */
static void check_extent(struct model *m, size_t offset)
{
	uint64_t length = 0;
	int is_hole = -1;

	assert_int_equal(f2fs_device_extent(m->dev, m->start + offset, &length, &is_hole), 0);
	assert_true(length > 0);
	assert_true(is_hole == 0 || is_hole == 1);
	if (length > m->size - offset)
		length = m->size - offset;
	for (size_t i = offset; is_hole && i < offset + length; i++)
		assert_int_equal(m->bytes[i], 0);
}

static void check_peek(struct model *m, size_t offset, size_t length)
{
	const uint8_t *p;

	if (length > 16384)
		length = 16384;
	p = device_peek(m->dev, m->start + offset, length);
	if (p)
		assert_memory_equal(p, m->bytes + offset, length);
}

void model_run(struct model *m, unsigned steps)
{
	for (unsigned i = 0; i < steps; i++) {
		size_t offset, length;
		const uint64_t kind = test_random(&m->random, 16);

		choose_range(m, kind < 7 ? m->unit : 1, &offset, &length);
		if (kind < 5)
			write_range(m, offset, length);
		else if (kind < 6)
			zero_range(m, offset, length);
		else if (kind < 7)
			discard_range(m, offset, length);
		else if (kind < 8)
			check_extent(m, offset);
		else if (kind < 10)
			check_peek(m, offset, length);
		else
			compare_range(m, offset, length);
	}
	model_compare(m);
}

void model_compare(struct model *m)
{
	compare_range(m, 0, m->size);
	for (size_t offset = 0; offset < m->size;) {
		uint64_t length;
		int is_hole;

		check_extent(m, offset);
		assert_int_equal(f2fs_device_extent(m->dev, m->start + offset, &length, &is_hole), 0);
		offset = length < m->size - offset ? offset + (size_t)length : m->size;
	}
}

void test_path(char path[64])
{
	int fd;

	strcpy(path, "/tmp/f2fskit-test-XXXXXX");
	fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
}
