/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The door of the device layer: ranges, rights, emulation, references, and what becomes of a failure. */
#include "model.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define SIZE 300000u

/* A device of the host with the operations that a test wants. */
struct plain {
	uint8_t bytes[SIZE];
	struct f2fs_context *ctx;
	int rc;		     /* what operations answer, 0: they work */
	const char *message; /* they record it themselves */
	unsigned writes;
	unsigned closed;
};

static int answer(struct plain *p)
{
	if (p->rc != 0 && p->message)
		return f2fs_context_fail(p->ctx, p->rc, p->message);
	return p->rc;
}

static int read_plain(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct plain *p = self;

	for (unsigned i = 0; p->rc == 0 && i < count; i++) {
		assert_true(offset + iov[i].length <= SIZE);
		memcpy(iov[i].base, p->bytes + offset, iov[i].length);
		offset += iov[i].length;
	}
	return answer(p);
}

static int write_plain(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct plain *p = self;

	p->writes++;
	for (unsigned i = 0; p->rc == 0 && i < count; i++) {
		assert_true(offset + iov[i].length <= SIZE);
		memcpy(p->bytes + offset, iov[i].base, iov[i].length);
		offset += iov[i].length;
	}
	return answer(p);
}

static int refuse_range(void *self, uint64_t offset, uint64_t length)
{
	(void)self;
	(void)offset;
	(void)length;
	return F2FS_ERR_UNSUPPORTED;
}

static int answer_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	(void)offset;
	*length = UINT64_MAX;
	*is_hole = 17;
	return answer(self);
}

static int answer_empty_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	(void)self;
	(void)offset;
	*length = 0;
	*is_hole = 0;
	return 0;
}

static void close_plain(void *self)
{
	((struct plain *)self)->closed++;
}

struct fixture {
	struct test_host host;
	struct plain plain;
	struct f2fs_device *dev;
};

static struct f2fs_device_ops ops_of_plain(void)
{
	const struct f2fs_device_ops ops = { F2FS_SIZED(f2fs_device_ops),
					     .read = read_plain, .write = write_plain, .close = close_plain };

	return ops;
}

static struct fixture *make_fixture(const struct f2fs_device_ops *ops, uint32_t caps)
{
	const struct f2fs_device_info info = { .size = SIZE, .caps = caps };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	test_host_init(&f->host);
	f->plain.ctx = f->host.ctx;
	assert_int_equal(f2fs_device_open_custom(f->host.ctx, ops, &f->plain, &info, &f->dev), 0);
	assert_int_equal(f2fs_device_info(f->dev)->sector_size, 512);
	return f;
}

static void free_fixture(struct fixture *f)
{
	f2fs_device_close(f->dev);
	assert_int_equal(f->plain.closed, 1);
	test_host_fini(&f->host);
	free(f);
}

static void emulates_what_is_missing(void **state)
{
	struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f;
	struct model m;

	(void)state;
	for (unsigned i = 0; i < 2; i++) {
		if (i == 1) {
			ops.zero = refuse_range;
			ops.discard = refuse_range;
		}
		f = make_fixture(&ops, F2FS_DEVICE_WRITE);
		model_init(&m, f->dev, 0, SIZE, 3 + i);
		model_run(&m, 1000);
		/* Zeros go out in large requests. */
		f->plain.writes = 0;
		assert_int_equal(f2fs_device_zero(f->dev, 1, SIZE - 1), 0);
		assert_true(f->plain.writes <= SIZE / (256 * 1024) + 1);
		assert_int_equal(f2fs_device_flush(f->dev), 0);
		model_fini(&m);
		free_fixture(f);
	}
}

static void checks_ranges(void **state)
{
	const struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f = make_fixture(&ops, F2FS_DEVICE_WRITE);
	struct f2fs_iovec iov[2];
	uint8_t byte = 0;
	uint64_t length = 5;
	int is_hole = 5;

	(void)state;
	assert_int_equal(f2fs_device_read(f->dev, SIZE, &byte, 0), 0);
	assert_int_equal(f2fs_device_read(f->dev, SIZE, &byte, 1), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_read(f->dev, UINT64_MAX, &byte, 1), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_read(f->dev, SIZE + 1, &byte, 0), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_write(f->dev, SIZE - 1, "ab", 2), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_zero(f->dev, 1, SIZE), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_zero(f->dev, 1, UINT64_MAX), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_discard(f->dev, SIZE, 1), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_extent(f->dev, SIZE, &length, &is_hole), F2FS_ERR_RANGE);
	assert_int_equal(length, 5);
	assert_int_equal(is_hole, 5);
	iov[0].base = iov[1].base = &byte;
	iov[0].length = SIZE_MAX;
	iov[1].length = SIZE_MAX;
	assert_int_equal(f2fs_device_readv(f->dev, 0, iov, 2), F2FS_ERR_RANGE);
	assert_int_equal(f2fs_context_error(f->host.ctx)->code, F2FS_ERR_RANGE);
	assert_int_equal(f2fs_device_extent(f->dev, 10, &length, &is_hole), 0);
	assert_int_equal(length, SIZE - 10);
	assert_int_equal(is_hole, 0);
	free_fixture(f);
}

static void judges_extents(void **state)
{
	struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f;
	uint64_t length;
	int is_hole;

	(void)state;
	ops.extent = answer_extent;
	f = make_fixture(&ops, 0);
	assert_int_equal(f2fs_device_extent(f->dev, 7, &length, &is_hole), 0);
	assert_int_equal(length, SIZE - 7);
	assert_int_equal(is_hole, 1);
	f->plain.rc = F2FS_ERR_UNSUPPORTED;
	assert_int_equal(f2fs_device_extent(f->dev, 7, &length, &is_hole), 0);
	assert_int_equal(length, SIZE - 7);
	assert_int_equal(is_hole, 0);
	free_fixture(f);
	ops.extent = answer_empty_extent;
	f = make_fixture(&ops, 0);
	assert_int_equal(f2fs_device_extent(f->dev, 7, &length, &is_hole), F2FS_ERR_IO);
	free_fixture(f);
}

static void refuses_to_write_what_is_read_only(void **state)
{
	const struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f = make_fixture(&ops, 0);

	(void)state;
	assert_int_equal(f2fs_device_write(f->dev, 0, "a", 1), F2FS_ERR_READ_ONLY);
	assert_int_equal(f2fs_device_zero(f->dev, 0, 1), F2FS_ERR_READ_ONLY);
	assert_int_equal(f2fs_device_discard(f->dev, 0, 1), F2FS_ERR_READ_ONLY);
	assert_int_equal(f->plain.writes, 0);
	assert_int_equal(f2fs_device_flush(f->dev), 0);
	free_fixture(f);
}

static void failures_become_records(void **state)
{
	const struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f = make_fixture(&ops, F2FS_DEVICE_WRITE);
	const struct f2fs_error_detail *detail = f2fs_context_error(f->host.ctx);
	uint8_t bytes[100];
	char message[200];

	(void)state;
	f->plain.rc = F2FS_SYS_ERROR(EIO);
	assert_int_equal(f2fs_device_read(f->dev, 4096, bytes, 100), F2FS_ERR_IO);
	assert_int_equal(detail->code, F2FS_ERR_IO);
	assert_int_equal(detail->sys_errno, EIO);
	assert_int_equal(detail->offset, 4096);
	assert_string_equal(detail->structure, "device");
	snprintf(message, sizeof(message), "cannot read 100 bytes at 4096 of the host's device: %s", strerror(EIO));
	assert_string_equal(detail->message, message);
	f->plain.rc = F2FS_SYS_ERROR(ENOSPC);
	assert_int_equal(f2fs_device_write(f->dev, 0, bytes, 100), F2FS_ERR_NOSPC);
	f->plain.rc = F2FS_SYS_ERROR(EACCES);
	assert_int_equal(f2fs_device_zero(f->dev, 0, 100), F2FS_ERR_ACCESS);
	f->plain.rc = F2FS_ERR_NOMEM;
	assert_int_equal(f2fs_device_read(f->dev, 0, bytes, 1), F2FS_ERR_NOMEM);
	assert_int_equal(detail->code, F2FS_ERR_NOMEM);
	/* Nonsense from the host. */
	f->plain.rc = 12345;
	assert_int_equal(f2fs_device_read(f->dev, 0, bytes, 1), F2FS_ERR_IO);
	f->plain.rc = -999;
	assert_int_equal(f2fs_device_read(f->dev, 0, bytes, 1), F2FS_ERR_IO);
	/* The operation's own words are kept, old ones are not. */
	f->plain.rc = F2FS_ERR_IO;
	f->plain.message = "the cable is out";
	assert_int_equal(f2fs_device_read(f->dev, 0, bytes, 1), F2FS_ERR_IO);
	assert_string_equal(detail->message, "the cable is out");
	f->plain.message = NULL;
	assert_int_equal(f2fs_device_read(f->dev, 8, bytes, 1), F2FS_ERR_IO);
	assert_string_equal(detail->message, "cannot read 1 bytes at 8 of the host's device: input/output error");
	f->plain.rc = 0;
	assert_int_equal(f2fs_device_read(f->dev, 8, bytes, 1), 0);
	assert_int_equal(detail->code, 0);
	free_fixture(f);
}

/* Reads in worker threads leave the context alone; inner calls leave an earlier error alone. */
static void quiet_calls_are_quiet(void **state)
{
	const struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f = make_fixture(&ops, F2FS_DEVICE_WRITE);
	const struct f2fs_error_detail *detail = f2fs_context_error(f->host.ctx);
	struct f2fs_error_detail before;
	uint8_t byte;

	(void)state;
	f2fs_context_fail(f->host.ctx, F2FS_ERR_LOOP, "earlier");
	before = *detail;
	assert_int_equal(device_read(f->dev, 0, &byte, 1), 0);
	assert_int_equal(device_flush(f->dev), 0);
	assert_memory_equal(detail, &before, sizeof(before));
	f->plain.rc = F2FS_SYS_ERROR(ENODEV);
	assert_int_equal(device_read_quiet(f->dev, 0, &byte, 1), F2FS_SYS_ERROR(ENODEV));
	assert_int_equal(device_read_quiet(f->dev, SIZE, &byte, 1), F2FS_ERR_RANGE);
	assert_int_equal(device_write_quiet(f->dev, 0, &byte, 1), F2FS_SYS_ERROR(ENODEV));
	assert_memory_equal(detail, &before, sizeof(before));
	assert_int_equal(device_report(f->dev, F2FS_SYS_ERROR(EIO), "read", 5, 1), F2FS_ERR_IO);
	assert_int_equal(detail->offset, 5);
	free_fixture(f);
}

static void references_are_counted(void **state)
{
	const struct f2fs_device_ops ops = ops_of_plain();
	struct fixture *f = make_fixture(&ops, F2FS_DEVICE_WRITE);
	struct f2fs_device *slice;
	uint8_t byte;

	(void)state;
	assert_ptr_equal(f2fs_device_ref(f->dev), f->dev);
	assert_int_equal(f2fs_device_open_slice(f->dev, 100, 0, &slice), 0);
	assert_int_equal(f2fs_device_offset(f->dev), 0);
	f2fs_device_close(f->dev);
	f2fs_device_close(f->dev);
	assert_int_equal(f->plain.closed, 0);
	assert_int_equal(f2fs_device_read(slice, 0, &byte, 1), 0);
	assert_int_equal(f2fs_device_offset(slice), 100);
	f2fs_device_close(slice);
	assert_int_equal(f->plain.closed, 1);
	f2fs_device_close(NULL);
	test_host_fini(&f->host);
	free(f);
}

static void refuses_unusable_devices(void **state)
{
	struct f2fs_device_ops ops = ops_of_plain();
	struct f2fs_device_info info = { .size = SIZE };
	struct f2fs_device *dev = NULL;
	struct f2fs_zone zone;
	struct test_host host;
	unsigned found;

	(void)state;
	test_host_init(&host);
	ops.read = NULL;
	assert_int_equal(f2fs_device_open_custom(host.ctx, &ops, NULL, &info, &dev), F2FS_ERR_INVALID);
	ops = ops_of_plain();
	ops.write = NULL;
	info.caps = F2FS_DEVICE_WRITE;
	assert_int_equal(f2fs_device_open_custom(host.ctx, &ops, NULL, &info, &dev), F2FS_ERR_INVALID);
	info.caps = F2FS_DEVICE_ZONED;
	assert_int_equal(f2fs_device_open_custom(host.ctx, &ops, NULL, &info, &dev), F2FS_ERR_INVALID);
	info.caps = 0;
	info.size = UINT64_MAX;
	assert_int_equal(f2fs_device_open_custom(host.ctx, &ops, NULL, &info, &dev), F2FS_ERR_TOO_BIG);
	info.size = 10;
	for (uint64_t n = 1; n < 3; n++) {
		host.fail_at = host.calls + n;
		assert_int_equal(f2fs_device_open_custom(host.ctx, &ops, NULL, &info, &dev), F2FS_ERR_NOMEM);
	}
	assert_null(dev);
	host.fail_at = 0;
	assert_int_equal(f2fs_device_open_memory(host.ctx, SIZE, &dev), 0);
	assert_int_equal(f2fs_device_zones(dev, 0, &zone, 1, &found), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_device_zone_reset(dev, 0), F2FS_ERR_UNSUPPORTED);
	assert_int_equal(f2fs_device_zone_finish(dev, 0), F2FS_ERR_UNSUPPORTED);
	f2fs_device_close(dev);
	test_host_fini(&host);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(emulates_what_is_missing), cmocka_unit_test(checks_ranges),
		cmocka_unit_test(judges_extents),	    cmocka_unit_test(refuses_to_write_what_is_read_only),
		cmocka_unit_test(failures_become_records),  cmocka_unit_test(quiet_calls_are_quiet),
		cmocka_unit_test(references_are_counted),   cmocka_unit_test(refuses_unusable_devices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
