/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files of the host: contents, holes, beyond 4 GiB, long lists, creation, and refusals. */
#include "model.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/lock.h"

#define SIZE (2u * 1024 * 1024 + 123)

/* What another program does between the opening of a file and its lock; the linker puts the function here between. */
static struct {
	void (*act)(void);
	struct test_host *host;
	struct f2fs_device *dev;
	char path[64];
	unsigned calls;
} meanwhile;

int __wrap_lock_take(struct f2fs_context *ctx, const char *path, int fd);
int __real_lock_take(struct f2fs_context *ctx, const char *path, int fd);

int __wrap_lock_take(struct f2fs_context *ctx, const char *path, int fd)
{
	void (*act)(void) = meanwhile.act;

	meanwhile.act = NULL;
	if (act)
		act();
	meanwhile.calls++;
	return __real_lock_take(ctx, path, fd);
}

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
	/* A second time only on request, and existing contents stay. */
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
	/* A file of impossible size does not remain. */
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

static void begin_race(struct test_host *host)
{
	memset(&meanwhile, 0, sizeof(meanwhile));
	test_host_init(host);
	test_path(meanwhile.path);
	meanwhile.host = host;
}

static void end_race(struct test_host *host)
{
	f2fs_device_close(meanwhile.dev);
	unlink(meanwhile.path);
	test_host_fini(host);
}

static void take_file(void)
{
	struct f2fs_device **dev = &meanwhile.dev;

	assert_int_equal(f2fs_device_create(meanwhile.host->ctx, meanwhile.path, SIZE, F2FS_OPEN_CREATE, dev), 0);
	assert_int_equal(f2fs_device_write(*dev, 10, "here", 4), 0);
}

static void use_file(void)
{
	take_file();
	f2fs_device_close(meanwhile.dev);
	meanwhile.dev = NULL;
}

static void remove_file(void)
{
	assert_int_equal(unlink(meanwhile.path), 0);
}

static void grow_file(void)
{
	assert_int_equal(truncate(meanwhile.path, SIZE), 0);
}

/* Put a file of SIZE bytes in its place. */
static void replace_file(void)
{
	char path[64];

	test_path(path);
	assert_int_equal(truncate(path, SIZE), 0);
	assert_int_equal(rename(path, meanwhile.path), 0);
}

static void replace_file_always(void)
{
	replace_file();
	meanwhile.act = replace_file_always;
}

/* A writer of sparse files holds the lock of the new file before that has the name. */
static void replace_and_keep(void)
{
	replace_file();
	take_file();
}

static void assert_is_used(const struct test_host *host)
{
	struct f2fs_device *dev;
	char bytes[4];

	assert_int_equal(f2fs_device_open(host->ctx, meanwhile.path, F2FS_OPEN_READ, &dev), 0);
	assert_int_equal(f2fs_device_info(dev)->size, SIZE);
	assert_int_equal(f2fs_device_read(dev, 10, bytes, 4), 0);
	assert_memory_equal(bytes, "here", 4);
	f2fs_device_close(dev);
}

/* Of two that make a file one holds it first. The other may be the one that has made its name. */
static void a_new_file_is_of_whoever_locks_it(void **state)
{
	static const struct {
		void (*act)(void);
		unsigned flags;
		int rc;
	} races[] = {
		{ take_file, 0, F2FS_ERR_BUSY },
		{ take_file, F2FS_OPEN_CREATE, F2FS_ERR_BUSY },
		{ use_file, 0, F2FS_ERR_EXISTS },
		{ use_file, F2FS_OPEN_CREATE, 0 },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(races) / sizeof(races[0]); i++) {
		struct f2fs_device *dev = NULL;
		struct test_host host;

		begin_race(&host);
		unlink(meanwhile.path);
		meanwhile.act = races[i].act;
		assert_int_equal(f2fs_device_create(host.ctx, meanwhile.path, SIZE, races[i].flags, &dev), races[i].rc);
		if (dev)
			assert_false(f2fs_device_info(dev)->caps & F2FS_DEVICE_ZEROED);
		assert_is_used(&host);
		f2fs_device_close(dev);
		end_race(&host);
	}
}

static void a_new_file_that_is_removed_is_made_again(void **state)
{
	struct f2fs_device *dev;
	struct test_host host;
	struct stat st;

	(void)state;
	begin_race(&host);
	unlink(meanwhile.path);
	meanwhile.act = remove_file;
	assert_int_equal(f2fs_device_create(host.ctx, meanwhile.path, SIZE, 0, &dev), 0);
	assert_true(f2fs_device_info(dev)->caps & F2FS_DEVICE_ZEROED);
	assert_int_equal(stat(meanwhile.path, &st), 0);
	assert_int_equal(meanwhile.calls, 2);
	f2fs_device_close(dev);
	end_race(&host);
}

/* It has another size, is another one, is locked by who put it there, or is none for long enough. */
static void a_writer_gets_the_file_that_has_the_name(void **state)
{
	static const struct {
		void (*act)(void);
		int rc;
	} races[] = {
		{ grow_file, 0 },
		{ replace_file, 0 },
		{ replace_and_keep, F2FS_ERR_BUSY },
		{ replace_file_always, F2FS_ERR_BUSY },
		{ remove_file, F2FS_ERR_NOT_FOUND },
	};

	(void)state;
	for (unsigned i = 0; i < sizeof(races) / sizeof(races[0]); i++) {
		struct f2fs_device *dev = NULL;
		struct test_host host;

		begin_race(&host);
		meanwhile.act = races[i].act;
		assert_int_equal(f2fs_device_open(host.ctx, meanwhile.path, F2FS_OPEN_WRITE, &dev), races[i].rc);
		meanwhile.act = NULL;
		if (dev)
			assert_int_equal(f2fs_device_info(dev)->size, SIZE);
		f2fs_device_close(dev);
		end_race(&host);
	}
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
		cmocka_unit_test(a_new_file_is_of_whoever_locks_it),
		cmocka_unit_test(a_new_file_that_is_removed_is_made_again),
		cmocka_unit_test(a_writer_gets_the_file_that_has_the_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
