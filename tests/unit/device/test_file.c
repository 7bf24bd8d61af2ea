/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the host: contents, holes, beyond 4 GiB, long lists, creation, and what is refused. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#define SIZE (2u * 1024 * 1024 + 123)

static void agrees_with_array(void **state)
{
	static const uint64_t starts[] = { 0, 4096, ((uint64_t)5 << 32) - 1000000 };

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct test_host host;
		struct f2fs_device *dev;
		struct model m;
		char path[64];

		test_host_init(&host);
		test_path(path);
		assert_int_equal(f2fs_device_create(host.ctx, path, starts[i] + SIZE, F2FS_OPEN_CREATE, &dev), 0);
		model_init(&m, dev, starts[i], SIZE, 20 + i);
		model_run(&m, 1500);
		assert_int_equal(f2fs_device_flush(dev), 0);
		f2fs_device_close(dev);
		assert_int_equal(f2fs_device_open(host.ctx, path, F2FS_OPEN_READ, &m.dev), 0);
		assert_int_equal(f2fs_device_info(m.dev)->size, starts[i] + SIZE);
		model_compare(&m);
		f2fs_device_close(m.dev);
		model_fini(&m);
		unlink(path);
		test_host_fini(&host);
	}
}

/* More buffers than the host takes in one call. */
static void takes_long_lists(void **state)
{
	enum { PIECES = 5000 };
	struct f2fs_iovec *iov = calloc(PIECES, sizeof(*iov));
	uint8_t *bytes = malloc(PIECES * 3), *back = malloc(PIECES * 3);
	struct test_host host;
	struct f2fs_device *dev;
	char path[64];
	size_t at = 0;

	(void)state;
	assert_true(iov && bytes && back);
	test_host_init(&host);
	test_path(path);
	test_fill(bytes, PIECES * 3, 5);
	for (unsigned i = 0; i < PIECES; i++) {
		iov[i].base = bytes + at;
		iov[i].length = i % 4;
		at += i % 4;
	}
	assert_int_equal(f2fs_device_create(host.ctx, path, at, F2FS_OPEN_CREATE, &dev), 0);
	assert_int_equal(f2fs_device_writev(dev, 0, iov, PIECES), 0);
	assert_int_equal(f2fs_device_read(dev, 0, back, at), 0);
	assert_memory_equal(back, bytes, at);
	memset(bytes, 0, at);
	assert_int_equal(f2fs_device_readv(dev, 0, iov, PIECES), 0);
	assert_memory_equal(back, bytes, at);
	f2fs_device_close(dev);
	unlink(path);
	free(iov);
	free(bytes);
	free(back);
	test_host_fini(&host);
}

static void new_files_are_holes(void **state)
{
	struct test_host host;
	struct f2fs_device *dev, *other = NULL;
	struct stat st;
	uint64_t length;
	char path[64];
	int is_hole;

	(void)state;
	test_host_init(&host);
	test_path(path);
	unlink(path);
	assert_int_equal(f2fs_device_create(host.ctx, path, (uint64_t)1 << 40, 0, &dev), 0);
	assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_ZEROED);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_blocks, 0);
	assert_int_equal(f2fs_device_extent(dev, 0, &length, &is_hole), 0);
	assert_int_equal(length, (uint64_t)1 << 40);
	assert_int_equal(is_hole, 1);
	/* A second time only when asked for, and then what is there stays. */
	assert_int_equal(f2fs_device_write(dev, 10, "here", 4), 0);
	assert_int_equal(f2fs_device_create(host.ctx, path, 4096, 0, &other), F2FS_ERR_EXISTS);
	assert_null(other);
	/* Nor while it is open, unless that is meant. */
	assert_int_equal(f2fs_device_create(host.ctx, path, 4096, F2FS_OPEN_CREATE, &other), F2FS_ERR_BUSY);
	assert_null(other);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, (off_t)1 << 40);
	assert_int_equal(f2fs_device_create(host.ctx, path, 4096, F2FS_OPEN_CREATE | F2FS_OPEN_NO_LOCK, &other), 0);
	assert_false(f2fs_device_info(other)->caps & F2FS_DEVICE_ZEROED);
	assert_int_equal(f2fs_device_info(other)->size, 4096);
	assert_int_equal(f2fs_device_read(other, 10, path + 40, 4), 0);
	assert_memory_equal(path + 40, "here", 4);
	/* The first one has lost its end meanwhile. */
	assert_int_equal(f2fs_device_read(dev, 8192, path + 40, 4), F2FS_ERR_IO);
	assert_int_equal(f2fs_context_error(host.ctx)->sys_errno, EIO);
	f2fs_device_close(other);
	f2fs_device_close(dev);
	unlink(path);
	test_host_fini(&host);
}

static void zeroing_frees_space(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	struct stat st;
	uint8_t *bytes = malloc(SIZE);
	uint64_t length;
	char path[64];
	int is_hole;

	(void)state;
	assert_non_null(bytes);
	test_host_init(&host);
	test_path(path);
	test_fill(bytes, SIZE, 7);
	assert_int_equal(f2fs_device_create(host.ctx, path, SIZE, F2FS_OPEN_CREATE, &dev), 0);
	assert_int_equal(f2fs_device_write(dev, 0, bytes, SIZE), 0);
	assert_int_equal(f2fs_device_zero(dev, 65536, 1048576), 0);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(f2fs_device_extent(dev, 65536, &length, &is_hole), 0);
	/* Only where the file system of the tests has holes. */
	if (is_hole) {
		assert_true(length >= 1048576 - 65536);
		assert_true((uint64_t)st.st_blocks * 512 < SIZE - 900000);
	}
	assert_int_equal(st.st_size, SIZE);
	f2fs_device_close(dev);
	unlink(path);
	free(bytes);
	test_host_fini(&host);
}

static void refuses_what_is_no_image(void **state)
{
	struct test_host host;
	struct f2fs_device *dev = NULL;
	char path[64], other[80];

	(void)state;
	test_host_init(&host);
	test_path(path);
	assert_int_equal(f2fs_device_open(host.ctx, "/tmp", 0, &dev), F2FS_ERR_IS_DIR);
	assert_int_equal(f2fs_device_open(host.ctx, "/dev/null", 0, &dev), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_create(host.ctx, "/dev/null", 1, F2FS_OPEN_CREATE, &dev), F2FS_ERR_INVALID);
	assert_int_equal(f2fs_device_create(host.ctx, "/tmp", 1, F2FS_OPEN_CREATE, &dev), F2FS_ERR_IS_DIR);
	assert_int_equal(f2fs_device_open(host.ctx, "/nowhere/x", 0, &dev), F2FS_ERR_NOT_FOUND);
	assert_non_null(strstr(f2fs_context_error(host.ctx)->message, "/nowhere/x"));
	snprintf(other, sizeof(other), "%s/x", path);
	assert_int_equal(f2fs_device_open(host.ctx, other, 0, &dev), F2FS_ERR_NOT_DIR);
	unlink(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(f2fs_device_open(host.ctx, path, 0, &dev), F2FS_ERR_INVALID);
	unlink(path);
	/* A file of impossible size is not left behind. */
	assert_int_equal(f2fs_device_create(host.ctx, path, UINT64_MAX, 0, &dev), F2FS_ERR_TOO_BIG);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(f2fs_device_create(host.ctx, path, INT64_MAX, 0, &dev) != 0, access(path, F_OK) != 0);
	f2fs_device_close(dev);
	unlink(path);
	test_host_fini(&host);
}

static void read_only_is_read_only(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	char path[64];

	(void)state;
	test_host_init(&host);
	test_path(path);
	assert_int_equal(truncate(path, 8192), 0);
	assert_int_equal(f2fs_device_open(host.ctx, path, F2FS_OPEN_READ | F2FS_OPEN_EXCLUSIVE, &dev), 0);
	assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_PARALLEL);
	assert_int_equal(f2fs_device_write(dev, 0, "x", 1), F2FS_ERR_READ_ONLY);
	f2fs_device_close(dev);
	unlink(path);
	test_host_fini(&host);
}

static void survives_failing_allocations(void **state)
{
	struct test_host host;
	struct f2fs_device *dev;
	char path[64];
	int rc = -1;

	(void)state;
	test_host_init(&host);
	test_path(path);
	for (uint64_t n = 1; rc != 0; n++) {
		host.fail_at = host.calls + n;
		rc = f2fs_device_open(host.ctx, path, F2FS_OPEN_WRITE, &dev);
		assert_true(rc == 0 || rc == F2FS_ERR_NOMEM);
		assert_true(n > 3 || rc != 0);
	}
	host.fail_at = 0;
	f2fs_device_close(dev);
	unlink(path);
	host.fail_at = host.calls + 2;
	assert_int_equal(f2fs_device_create(host.ctx, path, 4096, 0, &dev), F2FS_ERR_NOMEM);
	assert_int_equal(access(path, F_OK), -1);
	host.fail_at = 0;
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(agrees_with_array),
		cmocka_unit_test(takes_long_lists),
		cmocka_unit_test(new_files_are_holes),
		cmocka_unit_test(zeroing_frees_space),
		cmocka_unit_test(refuses_what_is_no_image),
		cmocka_unit_test(read_only_is_read_only),
		cmocka_unit_test(survives_failing_allocations),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
