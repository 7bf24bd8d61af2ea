/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The device layer's one door: counts references, checks ranges and rights, hands calls to a device's operations, does
 * without those that are missing (zero by writing zeros, discard and flush by nothing, extents by "all data"), and
 * turns their results into error records. It knows nothing of any particular device.
 */
#include "device/device.h"

#include <string.h>
#include <unistd.h>

#include "base/checked.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/iov.h"

#define SYS_ERROR_FIRST F2FS_SYS_ERROR(0)

/* ---- life ---- */

int device_make(struct f2fs_context *ctx, const char *name, const struct f2fs_device_ops *ops, void *self,
		const struct f2fs_device_info *info, struct f2fs_device **out)
{
	struct f2fs_device *dev;

	/* As the host's own offsets; so the sum of an offset and a length never overflows. */
	if (info->size > INT64_MAX)
		return error_set(ctx, F2FS_ERR_TOO_BIG, "%s cannot have %llu bytes", name,
				 (unsigned long long)info->size);
	dev = mem_zalloc(ctx, sizeof(*dev));
	if (!dev)
		return F2FS_ERR_NOMEM;
	dev->name = mem_strdup(ctx, name);
	if (!dev->name) {
		mem_free(ctx, dev);
		return F2FS_ERR_NOMEM;
	}
	dev->ctx = ctx;
	dev->ops = *ops;
	dev->info = *info;
	if (dev->info.sector_size == 0)
		dev->info.sector_size = 512;
	dev->self = self;
	dev->refs = 1;
	*out = dev;
	return 0;
}

int f2fs_device_open_custom(struct f2fs_context *ctx, const struct f2fs_device_ops *ops, void *self,
			    const struct f2fs_device_info *info, struct f2fs_device **out)
{
	struct f2fs_device_ops own;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &own, sizeof(own), ops);
	if (err)
		return err;
	if (!own.read)
		return error_set(ctx, F2FS_ERR_INVALID, "a device needs an operation to read");
	if ((info->caps & F2FS_DEVICE_WRITE) && !own.write)
		return error_set(ctx, F2FS_ERR_INVALID, "a writable device needs an operation to write");
	if ((info->caps & F2FS_DEVICE_ZONED) && (!own.zones || info->zone_bytes == 0))
		return error_set(ctx, F2FS_ERR_INVALID, "a zoned device needs zones");
	return device_make(ctx, "the host's device", &own, self, info, out);
}

struct f2fs_device *f2fs_device_ref(struct f2fs_device *dev)
{
	dev->refs++;
	return dev;
}

void f2fs_device_close(struct f2fs_device *dev)
{
	if (!dev || --dev->refs > 0)
		return;
	if (dev->ops.close)
		dev->ops.close(dev->self);
	mem_free(dev->ctx, dev->writer);
	mem_free(dev->ctx, dev->name);
	mem_free(dev->ctx, dev);
}

const struct f2fs_device_info *f2fs_device_info(const struct f2fs_device *dev)
{
	return &dev->info;
}

uint32_t f2fs_device_open_zones(const struct f2fs_device *dev)
{
	return dev->open_zones;
}

uint64_t f2fs_device_offset(const struct f2fs_device *dev)
{
	uint64_t offset = 0;

	while (dev && dev->below)
		dev = dev->below(dev->self, &offset);
	return offset;
}

void *device_self(const struct f2fs_device *dev, int (*read)(void *, uint64_t, const struct f2fs_iovec *, unsigned))
{
	return dev->ops.read == read ? dev->self : NULL;
}

const char *device_writer(struct f2fs_device *dev)
{
	uint64_t offset = 0;

	while (dev && !dev->writer)
		dev = dev->below ? dev->below(dev->self, &offset) : NULL;
	return dev ? dev->writer : NULL;
}

static bool is_owner(const struct f2fs_device *dev)
{
	return dev->owner == 0 || dev->owner == (long)getpid();
}

int device_check_owner(struct f2fs_device *dev)
{
	if (is_owner(dev))
		return 0;
	return error_set(dev->ctx, F2FS_ERR_STATE,
			 "%s was opened by process %ld: a process that was forked has to open it again to write",
			 dev->name, dev->owner);
}

/* ---- quiet calls ---- */

/* 0, or why the device cannot be written. */
static int refuse_write(const struct f2fs_device *dev)
{
	if (!(dev->info.caps & F2FS_DEVICE_WRITE))
		return F2FS_ERR_READ_ONLY;
	return is_owner(dev) ? 0 : F2FS_ERR_STATE;
}

int device_readv_quiet(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t length;

	if (!iov_length(iov, count, &length) || !range_within(offset, length, dev->info.size))
		return F2FS_ERR_RANGE;
	return length == 0 ? 0 : dev->ops.read(dev->self, offset, iov, count);
}

int device_read_quiet(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	struct f2fs_iovec iov = { buffer, length };

	return device_readv_quiet(dev, offset, &iov, 1);
}

int device_writev_quiet(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t length;
	int rc = refuse_write(dev);

	if (rc != 0)
		return rc;
	if (!iov_length(iov, count, &length) || !range_within(offset, length, dev->info.size))
		return F2FS_ERR_RANGE;
	return length == 0 ? 0 : dev->ops.write(dev->self, offset, iov, count);
}

int device_write_quiet(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length)
{
	struct f2fs_iovec iov = iov_of_const(buffer, length);

	return device_writev_quiet(dev, offset, &iov, 1);
}

/* Zeros by writing: the same small buffer many times over, so that requests are large. */
static int write_zeros(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	static const uint8_t zeros[4096];
	struct f2fs_iovec iov[64];

	while (length > 0) {
		uint64_t done = 0;
		unsigned count = 0;
		int rc;

		while (count < 64 && done < length) {
			uint64_t n = length - done < sizeof(zeros) ? length - done : sizeof(zeros);

			iov[count++] = iov_of_const(zeros, (size_t)n);
			done += n;
		}
		rc = dev->ops.write(dev->self, offset, iov, count);
		if (rc != 0)
			return rc;
		offset += done;
		length -= done;
	}
	return 0;
}

int device_zero_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	int rc = refuse_write(dev);

	if (rc != 0)
		return rc;
	if (!range_within(offset, length, dev->info.size))
		return F2FS_ERR_RANGE;
	if (length == 0)
		return 0;
	if (dev->ops.zero) {
		rc = dev->ops.zero(dev->self, offset, length);
		if (rc != F2FS_ERR_UNSUPPORTED)
			return rc;
	}
	return write_zeros(dev, offset, length);
}

int device_discard_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	int rc = refuse_write(dev);

	if (rc != 0)
		return rc;
	if (!range_within(offset, length, dev->info.size))
		return F2FS_ERR_RANGE;
	if (length == 0 || !dev->ops.discard)
		return 0;
	rc = dev->ops.discard(dev->self, offset, length);
	return rc == F2FS_ERR_UNSUPPORTED ? 0 : rc;
}

int device_flush_quiet(struct f2fs_device *dev)
{
	return dev->ops.flush ? dev->ops.flush(dev->self) : 0;
}

int device_extent_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole)
{
	uint64_t run = 0;
	int hole = 0;
	int rc;

	if (offset >= dev->info.size)
		return F2FS_ERR_RANGE;
	if (dev->ops.extent) {
		rc = dev->ops.extent(dev->self, offset, &run, &hole);
		if (rc != 0 && rc != F2FS_ERR_UNSUPPORTED)
			return rc;
		if (rc == 0 && run == 0)
			return F2FS_ERR_IO;
		if (rc != 0)
			run = 0;
	}
	if (run == 0)
		hole = 0;
	*length = run == 0 || run > dev->info.size - offset ? dev->info.size - offset : run;
	*is_hole = hole != 0;
	return 0;
}

int device_zones_quiet(struct f2fs_device *dev, uint64_t first, struct f2fs_zone *zones, unsigned count,
		       unsigned *found)
{
	unsigned n = 0;
	int rc;

	if (!dev->ops.zones)
		return F2FS_ERR_UNSUPPORTED;
	rc = dev->ops.zones(dev->self, first, zones, count, &n);
	if (rc == 0)
		*found = n < count ? n : count;
	return rc;
}

static int change_zone_quiet(struct f2fs_device *dev, int (*op)(void *, uint64_t), uint64_t offset)
{
	int rc;

	if (!op)
		return F2FS_ERR_UNSUPPORTED;
	rc = refuse_write(dev);
	if (rc != 0)
		return rc;
	return offset < dev->info.size ? op(dev->self, offset) : F2FS_ERR_RANGE;
}

int device_zone_reset_quiet(struct f2fs_device *dev, uint64_t offset)
{
	return change_zone_quiet(dev, dev->ops.zone_reset, offset);
}

int device_zone_finish_quiet(struct f2fs_device *dev, uint64_t offset)
{
	return change_zone_quiet(dev, dev->ops.zone_finish, offset);
}

/* ---- errors ---- */

static bool is_sys_error(int rc)
{
	return rc < SYS_ERROR_FIRST;
}

int device_report(struct f2fs_device *dev, int rc, const char *what, uint64_t offset, uint64_t length)
{
	struct f2fs_context *ctx = dev->ctx;
	const uint64_t place = offset;

	if (rc == 0)
		return 0;
	/* Name the device that stands below at this place: one disk of a set, the disk of a partition. */
	if (rc != F2FS_ERR_RANGE)
		while (dev->below) {
			struct f2fs_device *lower = dev->below(dev->self, &offset);

			if (!lower)
				break;
			dev = lower;
		}
	if (is_sys_error(rc)) {
		rc = error_sys(ctx, SYS_ERROR_FIRST - rc, "cannot %s %llu bytes at %llu of %s", what,
			       (unsigned long long)length, (unsigned long long)offset, dev->name);
	} else if (rc == F2FS_ERR_RANGE) {
		rc = error_set(ctx, rc, "cannot %s %llu bytes at %llu of %s: it ends at %llu", what,
			       (unsigned long long)length, (unsigned long long)offset, dev->name,
			       (unsigned long long)dev->info.size);
	} else {
		/* Operations of the host may return anything. */
		if (strcmp(f2fs_error_name(rc), "UNKNOWN") == 0)
			rc = F2FS_ERR_IO;
		rc = error_set(ctx, rc, "cannot %s %llu bytes at %llu of %s: %s", what, (unsigned long long)length,
			       (unsigned long long)offset, dev->name, f2fs_error_text(rc));
	}
	memcpy(ctx->error.structure, "device", sizeof("device"));
	ctx->error.offset = place;
	return rc;
}

/* ---- calls that record ---- */

/*
 * Between begin and end the context's error code is 0, so that end can see whether the operation has recorded its
 * failure itself, in better words than ours.
 */
static int begin_call(struct f2fs_device *dev)
{
	int before = dev->ctx->error.code;

	dev->ctx->error.code = 0;
	return before;
}

static int end_call(struct f2fs_device *dev, int before, int rc, const char *what, uint64_t offset, uint64_t length)
{
	if (rc == 0) {
		dev->ctx->error.code = before;
		return 0;
	}
	if (dev->ctx->error.code == rc)
		return rc;
	return device_report(dev, rc, what, offset, length);
}

static int read_iov(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int before = begin_call(dev);
	int rc = device_readv_quiet(dev, offset, iov, count);

	return end_call(dev, before, rc, "read", offset, rc ? iov_length_capped(iov, count) : 0);
}

int device_read(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	struct f2fs_iovec iov = { buffer, length };

	return read_iov(dev, offset, &iov, 1);
}

static int write_iov(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int before = begin_call(dev);
	int rc = device_writev_quiet(dev, offset, iov, count);

	return end_call(dev, before, rc, "write", offset, rc ? iov_length_capped(iov, count) : 0);
}

int device_write(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length)
{
	struct f2fs_iovec iov = iov_of_const(buffer, length);

	return write_iov(dev, offset, &iov, 1);
}

int device_zero(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	int before = begin_call(dev);

	return end_call(dev, before, device_zero_quiet(dev, offset, length), "zero", offset, length);
}

int device_discard(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	int before = begin_call(dev);

	return end_call(dev, before, device_discard_quiet(dev, offset, length), "discard", offset, length);
}

int device_flush(struct f2fs_device *dev)
{
	int before = begin_call(dev);

	return end_call(dev, before, device_flush_quiet(dev), "flush", 0, dev->info.size);
}

int device_extent(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole)
{
	int before = begin_call(dev);

	return end_call(dev, before, device_extent_quiet(dev, offset, length, is_hole), "map", offset, 1);
}

/* ---- public calls ---- */

int f2fs_device_read(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length)
{
	error_clear(dev->ctx);
	return device_read(dev, offset, buffer, length);
}

int f2fs_device_write(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length)
{
	error_clear(dev->ctx);
	return device_write(dev, offset, buffer, length);
}

int f2fs_device_readv(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	error_clear(dev->ctx);
	return read_iov(dev, offset, iov, count);
}

int f2fs_device_writev(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	error_clear(dev->ctx);
	return write_iov(dev, offset, iov, count);
}

int f2fs_device_zero(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	error_clear(dev->ctx);
	return device_zero(dev, offset, length);
}

int f2fs_device_discard(struct f2fs_device *dev, uint64_t offset, uint64_t length)
{
	error_clear(dev->ctx);
	return device_discard(dev, offset, length);
}

int f2fs_device_flush(struct f2fs_device *dev)
{
	error_clear(dev->ctx);
	return device_flush(dev);
}

int f2fs_device_extent(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole)
{
	error_clear(dev->ctx);
	return device_extent(dev, offset, length, is_hole);
}

int f2fs_device_zones(struct f2fs_device *dev, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	int before;

	error_clear(dev->ctx);
	before = begin_call(dev);
	return end_call(dev, before, device_zones_quiet(dev, first, zones, count, found), "report the zones in", 0,
			dev->info.size);
}

int f2fs_device_zone_reset(struct f2fs_device *dev, uint64_t offset)
{
	int before;

	error_clear(dev->ctx);
	before = begin_call(dev);
	return end_call(dev, before, device_zone_reset_quiet(dev, offset), "reset the zone of", offset,
			dev->info.zone_bytes);
}

int f2fs_device_zone_finish(struct f2fs_device *dev, uint64_t offset)
{
	int before;

	error_clear(dev->ctx);
	before = begin_call(dev);
	return end_call(dev, before, device_zone_finish_quiet(dev, offset), "finish the zone of", offset,
			dev->info.zone_bytes);
}
