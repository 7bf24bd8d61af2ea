/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Lists of buffers: sums, and a cursor over their bytes. Empty buffers are allowed anywhere.
 */
#include "device/iov.h"

#include <string.h>

#include "base/checked.h"

bool iov_length(const struct f2fs_iovec *iov, unsigned count, uint64_t *length)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < count; i++)
		if (!checked_add64(sum, iov[i].length, &sum))
			return false;
	*length = sum;
	return true;
}

uint64_t iov_length_capped(const struct f2fs_iovec *iov, unsigned count)
{
	uint64_t length = UINT64_MAX;

	iov_length(iov, count, &length);
	return length;
}

void iov_cursor_init(struct iov_cursor *c, const struct f2fs_iovec *iov, unsigned count)
{
	c->iov = iov;
	c->count = count;
	c->skip = 0;
}

size_t iov_next(struct iov_cursor *c, uint64_t length, uint8_t **piece)
{
	size_t n;

	while (c->count > 0 && c->skip == c->iov->length) {
		c->iov++;
		c->count--;
		c->skip = 0;
	}
	if (c->count == 0)
		return 0;
	n = c->iov->length - c->skip;
	if (n > length)
		n = (size_t)length;
	*piece = (uint8_t *)c->iov->base + c->skip;
	c->skip += n;
	return n;
}

uint64_t iov_take(struct iov_cursor *c, uint64_t length, struct f2fs_iovec part[IOV_PART], unsigned *count)
{
	uint64_t taken = 0;
	unsigned filled = 0;

	while (filled < IOV_PART && taken < length) {
		uint8_t *piece;
		size_t n = iov_next(c, length - taken, &piece);

		if (n == 0)
			break;
		part[filled].base = piece;
		part[filled].length = n;
		filled++;
		taken += n;
	}
	*count = filled;
	return taken;
}

void iov_copy_in(struct iov_cursor *c, const void *from, size_t length)
{
	const uint8_t *source = from;
	uint8_t *piece;

	while (length > 0) {
		size_t n = iov_next(c, length, &piece);

		if (n == 0)
			return;
		memcpy(piece, source, n);
		source += n;
		length -= n;
	}
}

void iov_copy_out(struct iov_cursor *c, void *to, size_t length)
{
	uint8_t *target = to;
	uint8_t *piece;

	while (length > 0) {
		size_t n = iov_next(c, length, &piece);

		if (n == 0)
			return;
		memcpy(target, piece, n);
		target += n;
		length -= n;
	}
}

void iov_zero(struct iov_cursor *c, uint64_t length)
{
	uint8_t *piece;

	while (length > 0) {
		size_t n = iov_next(c, length, &piece);

		if (n == 0)
			return;
		memset(piece, 0, n);
		length -= n;
	}
}

void iov_skip(struct iov_cursor *c, uint64_t length)
{
	uint8_t *piece;

	while (length > 0) {
		size_t n = iov_next(c, length, &piece);

		if (n == 0)
			return;
		length -= n;
	}
}
