/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whole transfers whatever the host does: the linker puts the functions here in the place of the host's, and they
 * transfer little at a time, are interrupted, and fail.
 */
#include "model.h"

#include <errno.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "device/hostfd.h"

static uint8_t contents[4096];
static uint64_t state_of_host;
static unsigned interrupts, flushes;
static int fail_after; /* calls that work before one fails; negative: none fails */
static int fail_errno;

ssize_t __wrap_preadv(int fd, const struct iovec *iov, int count, off_t offset);
ssize_t __wrap_pwritev(int fd, const struct iovec *iov, int count, off_t offset);
ssize_t __wrap_preadv64(int fd, const struct iovec *iov, int count, off_t offset);
ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int count, off_t offset);
int __wrap_fdatasync(int fd);

/* Transfer at most some bytes, over the ends of buffers; sometimes be interrupted instead. */
static ssize_t transfer(const struct iovec *iov, int count, off_t offset, int writes)
{
	size_t left = (size_t)test_random(&state_of_host, 700) + 1;
	ssize_t done = 0;

	assert_true(count > 0 && count <= 1024);
	if (test_random(&state_of_host, 5) == 0) {
		interrupts++;
		errno = EINTR;
		return -1;
	}
	if (fail_after >= 0 && fail_after-- == 0) {
		errno = fail_errno;
		return fail_errno ? -1 : 0;
	}
	for (int i = 0; i < count && left > 0; i++) {
		const size_t n = iov[i].iov_len < left ? iov[i].iov_len : left;

		assert_true((size_t)offset + n <= sizeof(contents));
		if (writes)
			memcpy(contents + offset, iov[i].iov_base, n);
		else
			memcpy(iov[i].iov_base, contents + offset, n);
		offset += (off_t)n;
		done += (ssize_t)n;
		left -= n;
	}
	return done;
}

ssize_t __wrap_preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
	assert_int_equal(fd, 77);
	return transfer(iov, count, offset, 0);
}

ssize_t __wrap_pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
	assert_int_equal(fd, 77);
	return transfer(iov, count, offset, 1);
}

/* The names on hosts where offsets have 64 bits only on request. */
ssize_t __wrap_preadv64(int fd, const struct iovec *iov, int count, off_t offset)
{
	return __wrap_preadv(fd, iov, count, offset);
}

ssize_t __wrap_pwritev64(int fd, const struct iovec *iov, int count, off_t offset)
{
	return __wrap_pwritev(fd, iov, count, offset);
}

int __wrap_fdatasync(int fd)
{
	assert_int_equal(fd, 77);
	if (++flushes == 4)
		return 0;
	errno = flushes < 4 ? EINTR : EIO;
	return -1;
}

/* Cut a buffer into pieces of 0 to 20 bytes. */
static unsigned cut(uint8_t *bytes, size_t length, struct f2fs_iovec *iov)
{
	unsigned count = 0;

	for (size_t at = 0; at < length; count++) {
		const size_t n = (size_t)test_random(&state_of_host, 21);

		iov[count].base = bytes + at;
		iov[count].length = n < length - at ? n : length - at;
		at += iov[count].length;
	}
	return count;
}

static void short_transfers_go_on(void **state)
{
	struct f2fs_iovec *iov = calloc(4096 * 2, sizeof(*iov));
	uint8_t bytes[4096], back[4096];

	(void)state;
	assert_non_null(iov);
	fail_after = -1;
	for (unsigned i = 0; i < 300; i++) {
		const size_t at = (size_t)test_random(&state_of_host, 4096);
		const size_t n = (size_t)test_random(&state_of_host, 4096 - at) + 1;

		test_fill(bytes, n, i);
		memset(back, 0, n);
		assert_int_equal(hostfd_write(77, at, iov, cut(bytes, n, iov)), 0);
		assert_memory_equal(contents + at, bytes, n);
		assert_int_equal(hostfd_read(77, at, iov, cut(back, n, iov)), 0);
		assert_memory_equal(back, bytes, n);
	}
	assert_true(interrupts > 100);
	free(iov);
}

static void failures_are_reported(void **state)
{
	uint8_t bytes[4096];
	struct f2fs_iovec iov = { bytes, sizeof(bytes) };

	(void)state;
	for (int n = 0; n < 5; n++) {
		fail_after = n;
		fail_errno = EIO;
		assert_int_equal(hostfd_read(77, 0, &iov, 1), F2FS_SYS_ERROR(EIO));
		fail_after = n;
		fail_errno = ENOSPC;
		assert_int_equal(hostfd_write(77, 0, &iov, 1), F2FS_SYS_ERROR(ENOSPC));
		/* The file ends where it should continue. */
		fail_after = n;
		fail_errno = 0;
		assert_int_equal(hostfd_read(77, 0, &iov, 1), F2FS_SYS_ERROR(EIO));
	}
}

static void flushes_are_repeated(void **state)
{
	(void)state;
	flushes = 0;
	assert_int_equal(hostfd_flush(77), 0);
	assert_int_equal(flushes, 4);
	assert_int_equal(hostfd_flush(77), F2FS_SYS_ERROR(EIO));
	assert_int_equal(flushes, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(short_transfers_go_on),
		cmocka_unit_test(failures_are_reported),
		cmocka_unit_test(flushes_are_repeated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
