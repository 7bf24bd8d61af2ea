/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Injects failures into the operations on a device, by count and by place, so that tests can fail each of them in turn.
 */
#include <errno.h>

#include "base/error.h"
#include "device/iov.h"
#include "device/layer.h"

/* Operations of one kind. */
struct tally {
	uint64_t count;
	bool failed; /* at least once */
};

struct fault {
	struct layer layer;
	struct f2fs_fault_rule rule;
	struct tally reads;
	struct tally writes;
	struct tally flushes;
};

/* Count an operation and decide its fate. */
static bool must_fail(struct fault *fault, struct tally *tally, uint64_t fail_at, bool hits_bad_place)
{
	tally->count++;
	if (tally->count == fail_at || hits_bad_place || (fault->rule.sticky && tally->failed)) {
		tally->failed = true;
		return true;
	}
	return false;
}

static bool hits_bad_place(const struct fault *fault, uint64_t offset, uint64_t length)
{
	const uint64_t bad = fault->rule.bad_offset;

	return fault->rule.bad_length > 0 &&
	       (offset >= bad ? offset - bad < fault->rule.bad_length : bad - offset < length);
}

static bool write_must_fail(struct fault *fault, uint64_t offset, uint64_t length)
{
	return must_fail(fault, &fault->writes, fault->rule.fail_write, hits_bad_place(fault, offset, length));
}

/* Bytes of a failing write that reach the device all the same. */
static uint64_t torn_length(const struct fault *fault, uint64_t length)
{
	return fault->rule.torn ? length / 2 / 512 * 512 : 0;
}

static int read_fault(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct fault *fault = self;
	const bool bad = hits_bad_place(fault, offset, iov_length_capped(iov, count));

	if (must_fail(fault, &fault->reads, fault->rule.fail_read, bad))
		return F2FS_SYS_ERROR(EIO);
	return device_readv_quiet(fault->layer.inner, offset, iov, count);
}

static void write_torn(const struct fault *fault, uint64_t offset, const struct f2fs_iovec *iov, unsigned count,
		       uint64_t length)
{
	struct f2fs_iovec part[IOV_PART];
	struct iov_cursor cursor;
	unsigned filled;
	uint64_t n;

	iov_cursor_init(&cursor, iov, count);
	for (; length > 0; offset += n, length -= n) {
		n = iov_take(&cursor, length, part, &filled);
		if (n == 0 || device_writev_quiet(fault->layer.inner, offset, part, filled) != 0)
			return;
	}
}

static int write_fault(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct fault *fault = self;
	const uint64_t length = iov_length_capped(iov, count);

	if (!write_must_fail(fault, offset, length))
		return device_writev_quiet(fault->layer.inner, offset, iov, count);
	write_torn(fault, offset, iov, count, torn_length(fault, length));
	return F2FS_SYS_ERROR(EIO);
}

static int zero_fault(void *self, uint64_t offset, uint64_t length)
{
	struct fault *fault = self;

	if (!write_must_fail(fault, offset, length))
		return device_zero_quiet(fault->layer.inner, offset, length);
	device_zero_quiet(fault->layer.inner, offset, torn_length(fault, length));
	return F2FS_SYS_ERROR(EIO);
}

static int discard_fault(void *self, uint64_t offset, uint64_t length)
{
	struct fault *fault = self;

	if (!write_must_fail(fault, offset, length))
		return device_discard_quiet(fault->layer.inner, offset, length);
	return F2FS_SYS_ERROR(EIO);
}

static int flush_fault(void *self)
{
	struct fault *fault = self;

	if (must_fail(fault, &fault->flushes, fault->rule.fail_flush, false))
		return F2FS_SYS_ERROR(EIO);
	return device_flush_quiet(fault->layer.inner);
}

static const struct f2fs_device_ops fault_ops = {
	.read = read_fault,
	.write = write_fault,
	.zero = zero_fault,
	.discard = discard_fault,
	.flush = flush_fault,
	.extent = layer_extent,
	.zones = layer_zones,
	.zone_reset = layer_zone_reset,
	.zone_finish = layer_zone_finish,
	.close = layer_close,
};

int f2fs_device_open_fault(struct f2fs_device *inner, struct f2fs_device **out)
{
	error_clear(inner->ctx);
	/* Reads are counted, so they are not for several threads. */
	return layer_make(inner, sizeof(struct fault), &fault_ops,
			  inner->info.caps & ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE), out);
}

void f2fs_device_fault_set(struct f2fs_device *fault, const struct f2fs_fault_rule *rule)
{
	struct fault *f = device_self(fault, read_fault);
	const struct tally none = { 0, false };

	if (!f)
		return;
	f->rule = *rule;
	f->reads = none;
	f->writes = none;
	f->flushes = none;
}

void f2fs_device_fault_counts(const struct f2fs_device *fault, uint64_t *reads, uint64_t *writes, uint64_t *flushes)
{
	const struct fault *f = device_self(fault, read_fault);

	if (!f)
		return;
	*reads = f->reads.count;
	*writes = f->writes.count;
	*flushes = f->flushes.count;
}
