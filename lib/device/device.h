/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices as the library sees them: the struct behind the public handle, and three ways to call one.
 *
 * f2fs_device_*   public: forgets the last error first, records a failure in the context.
 * device_*        the same without forgetting: for the layers above, so that cleaning up keeps the first error.
 * device_*_quiet  touches no context: returns 0, an enum f2fs_error or F2FS_SYS_ERROR(errno). For devices on top of
 *                 other devices, and, for reads of a PARALLEL device (writes with
 *                 PARALLEL_WRITE), for worker threads; device_report() turns the
 *                 number into an error record later, on the context's thread.
 */
#ifndef F2FSKIT_DEVICE_DEVICE_H
#define F2FSKIT_DEVICE_DEVICE_H

#include <f2fskit/device.h>

#include "base/context.h"

struct f2fs_device {
	struct f2fs_context *ctx;
	struct f2fs_device_ops ops;
	struct f2fs_device_info info;
	uint32_t open_zones; /* that may be written in part at a time; 0: any number, or not known */
	void *self;
	char *name; /* for messages: a path, or the kind of device */
	unsigned refs;
	char *writer; /* opened for reading: who had it open for writing then; NULL: nobody that is known */
	long owner;   /* the one process that writes to it: those it forks share its descriptor; 0: any */
	/* Pointer to bytes in memory, NULL when that is not possible; see device_peek(). */
	const uint8_t *(*peek)(void *self, uint64_t offset, size_t length);
	/* Device below that holds the byte at offset, offset changed to its count; NULL: messages name this device. */
	struct f2fs_device *(*below)(void *self, uint64_t *offset);
};

/* Names of the rules of the Android sparse format in error records; their table is in format/, a sibling. */
#define DEVICE_RULE_SPARSE_HEADER "SPARSE_HEADER"
#define DEVICE_RULE_SPARSE_CHUNK "SPARSE_CHUNK"
#define DEVICE_RULE_ZSTD_TABLE "ZSTD_TABLE"
#define DEVICE_RULE_CONTAINER "CONTAINER"

/*
 * Make a device; name, ops and info are copied. On failure self is still the caller's; on success ops->close ends it.
 */
int device_make(struct f2fs_context *ctx, const char *name, const struct f2fs_device_ops *ops, void *self,
		const struct f2fs_device_info *info, struct f2fs_device **out);

/* Return self when dev is made of operations that read by this function, else NULL. */
void *device_self(const struct f2fs_device *dev, int (*read)(void *, uint64_t, const struct f2fs_iovec *, unsigned));

int device_read_quiet(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
int device_readv_quiet(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int device_write_quiet(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length);
int device_writev_quiet(struct f2fs_device *dev, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int device_zero_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t length);
int device_discard_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t length);
int device_flush_quiet(struct f2fs_device *dev);
int device_extent_quiet(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole);
int device_zones_quiet(struct f2fs_device *dev, uint64_t first, struct f2fs_zone *zones, unsigned count,
		       unsigned *found);
int device_zone_reset_quiet(struct f2fs_device *dev, uint64_t offset);
int device_zone_finish_quiet(struct f2fs_device *dev, uint64_t offset);

/* Record the result rc of a quiet call that did what ("read", ...) at offset; returns the enum f2fs_error. */
int device_report(struct f2fs_device *dev, int rc, const char *what, uint64_t offset, uint64_t length);

int device_read(struct f2fs_device *dev, uint64_t offset, void *buffer, size_t length);
int device_write(struct f2fs_device *dev, uint64_t offset, const void *buffer, size_t length);
int device_zero(struct f2fs_device *dev, uint64_t offset, uint64_t length);
int device_discard(struct f2fs_device *dev, uint64_t offset, uint64_t length);
int device_flush(struct f2fs_device *dev);
int device_extent(struct f2fs_device *dev, uint64_t offset, uint64_t *length, int *is_hole);

/* Return the writer of a device that was opened for reading; NULL: none is known. */
const char *device_writer(struct f2fs_device *dev);
/* Fail with STATE in a process that was forked from the one that may write. */
int device_check_owner(struct f2fs_device *dev);

/*
 * Return a pointer to length bytes at offset without copying them, valid until the next call on the device, or NULL
 * when the device has none to give: not a cache or memory, the range crosses a cache line or a memory page (4 KiB), or
 * reading failed; device_read() then does the work or records the error. A hit takes some ten nanoseconds.
 */
static inline const uint8_t *device_peek(struct f2fs_device *dev, uint64_t offset, size_t length)
{
	return dev->peek ? dev->peek(dev->self, offset, length) : NULL;
}

#endif
