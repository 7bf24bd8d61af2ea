/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of buffers: their length, and a cursor that hands out parts of a list in order, for devices that split a
 * request or copy the bytes themselves.
 */
#ifndef F2FSKIT_DEVICE_IOV_H
#define F2FSKIT_DEVICE_IOV_H

#include <f2fskit/device.h>
#include <stdbool.h>

/* Buffers of one part of a split request; longer lists are handled in several parts. */
#define IOV_PART 128

struct iov_cursor {
	const struct f2fs_iovec *iov;
	unsigned count; /* buffers left */
	size_t skip;	/* bytes of the first one already used */
};

/* Wrap a buffer that is only read; the list's type is shared by reading and writing. */
static inline struct f2fs_iovec iov_of_const(const void *buffer, size_t length)
{
	struct f2fs_iovec iov = { (void *)(uintptr_t)buffer, length };

	return iov;
}

/* Store the sum of the lengths; false when it overflows. */
bool iov_length(const struct f2fs_iovec *iov, unsigned count, uint64_t *length);
/* Return the sum of the lengths, or the largest number when it overflows. */
uint64_t iov_length_capped(const struct f2fs_iovec *iov, unsigned count);

void iov_cursor_init(struct iov_cursor *c, const struct f2fs_iovec *iov, unsigned count);
/* Return the longest piece in one buffer at the cursor, at most length bytes; the cursor moves on. 0 at the end. */
size_t iov_next(struct iov_cursor *c, uint64_t length, uint8_t **piece);
/*
 * Fill part with up to IOV_PART buffers that cover the next length bytes or fewer; *count is their number. Returns the
 * number of bytes covered; the cursor moves on.
 */
uint64_t iov_take(struct iov_cursor *c, uint64_t length, struct f2fs_iovec part[IOV_PART], unsigned *count);
/* Copy length bytes between memory and the buffers at the cursor, or fill these with zeros; the cursor moves on. */
void iov_copy_in(struct iov_cursor *c, const void *from, size_t length);
void iov_copy_out(struct iov_cursor *c, void *to, size_t length);
void iov_zero(struct iov_cursor *c, uint64_t length);
/* Move the cursor on. */
void iov_skip(struct iov_cursor *c, uint64_t length);

#endif
