/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A flash model as a device; see ftl_device.h. */
#include <stdlib.h>
#include <string.h>

#include "ftl_device.h"

struct ftl_device {
	struct ftl *ftl;
	struct f2fs_device *inner; /* NULL: contents go nowhere */
};

static uint64_t length_of(const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t length = 0;

	for (unsigned i = 0; i < count; i++)
		length += iov[i].length;
	return length;
}

static int read_ftl(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct ftl_device *device = self;

	ftl_read_bytes(device->ftl, offset, length_of(iov, count));
	if (device->inner)
		return f2fs_device_readv(device->inner, offset, iov, count);
	for (unsigned i = 0; i < count; i++)
		memset(iov[i].base, 0, iov[i].length);
	return 0;
}

static int write_ftl(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct ftl_device *device = self;
	int rc = device->inner ? f2fs_device_writev(device->inner, offset, iov, count) : 0;

	if (rc == 0)
		ftl_write_bytes(device->ftl, offset, length_of(iov, count));
	return rc;
}

static int discard_ftl(void *self, uint64_t offset, uint64_t length)
{
	struct ftl_device *device = self;
	int rc = device->inner ? f2fs_device_discard(device->inner, offset, length) : 0;

	if (rc == 0)
		ftl_trim_bytes(device->ftl, offset, length);
	return rc;
}

static int flush_ftl(void *self)
{
	struct ftl_device *device = self;

	return device->inner ? f2fs_device_flush(device->inner) : 0;
}

static void close_ftl(void *self)
{
	struct ftl_device *device = self;

	f2fs_device_close(device->inner);
	ftl_close(device->ftl);
	free(device);
}

static const struct f2fs_device_ops ftl_ops = {
	F2FS_SIZED(f2fs_device_ops),
	.read = read_ftl,
	.write = write_ftl,
	.discard = discard_ftl,
	.flush = flush_ftl,
	.close = close_ftl,
};

int ftl_device_open(struct f2fs_context *ctx, const char *text, struct f2fs_device *inner, uint64_t bytes,
		    struct ftl **ftl, struct f2fs_device **out)
{
	const struct f2fs_device_info info = {
		.size = inner ? f2fs_device_info(inner)->size : bytes,
		.sector_size = 512,
		.caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_DISCARD,
	};
	struct ftl_device *device = calloc(1, sizeof(*device));
	int rc;

	if (!device)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "no memory for a flash model");
	rc = ftl_open(ctx, text, info.size, 0, &device->ftl);
	if (rc != 0) {
		free(device);
		return rc;
	}
	device->inner = inner ? f2fs_device_ref(inner) : NULL;
	rc = f2fs_device_open_custom(ctx, &ftl_ops, device, &info, out);
	if (rc != 0)
		close_ftl(device);
	else
		*ftl = device->ftl;
	return rc;
}
