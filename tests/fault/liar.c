/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads that go wrong: see liar.h. Writes to a lying place are stored, but reads return other bytes. */
#include "fault/liar.h"

#include <errno.h>
#include <string.h>

int liar_is_silent(enum wrong wrong)
{
	return wrong >= WRONG_ZEROS_ONCE;
}

static int give_zeros(const struct f2fs_iovec *iov, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		memset(iov[i].base, 0, iov[i].length);
	return 0;
}

static int give_half(struct liar *liar, uint64_t offset, const struct f2fs_iovec *iov)
{
	const int rc = f2fs_device_read(liar->inner, offset, iov->base, iov->length / 2);

	return rc ? rc : F2FS_SYS_ERROR(EIO);
}

static int go_wrong(struct liar *liar, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	switch (liar->wrong) {
	case WRONG_SHORT:
		return give_half(liar, offset, iov);
	case WRONG_ZEROS_ONCE:
	case WRONG_ZEROS_PLACE:
		return give_zeros(iov, count);
	case WRONG_STALE_ONCE:
	case WRONG_STALE_PLACE:
		return f2fs_device_readv(liar->older, offset, iov, count);
	default:
		return F2FS_SYS_ERROR(EIO);
	}
}

static int is_wrong(struct liar *liar, uint64_t offset, uint64_t end)
{
	const int is_first = ++liar->reads == liar->n;

	if (is_first) {
		liar->at = offset;
		liar->end = end;
	}
	if (liar->n == 0 || liar->reads < liar->n)
		return 0;
	switch (liar->wrong) {
	case WRONG_ALL:
		return 1;
	case WRONG_PLACE:
	case WRONG_ZEROS_PLACE:
	case WRONG_STALE_PLACE:
		return offset < liar->end && end > liar->at;
	default:
		return is_first;
	}
}

static int read_liar(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct liar *liar = self;
	uint64_t length = 0;

	for (unsigned i = 0; i < count; i++)
		length += iov[i].length;
	if (is_wrong(liar, offset, offset + length))
		return go_wrong(liar, offset, iov, count);
	return f2fs_device_readv(liar->inner, offset, iov, count);
}

static int write_liar(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return f2fs_device_writev(((struct liar *)self)->inner, offset, iov, count);
}

static int zero_liar(void *self, uint64_t offset, uint64_t length)
{
	return f2fs_device_zero(((struct liar *)self)->inner, offset, length);
}

static int discard_liar(void *self, uint64_t offset, uint64_t length)
{
	return f2fs_device_discard(((struct liar *)self)->inner, offset, length);
}

static int extent_liar(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	return f2fs_device_extent(((struct liar *)self)->inner, offset, length, is_hole);
}

int liar_open(struct f2fs_context *ctx, struct liar *liar, struct f2fs_device **out)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops),
		.read = read_liar,
		.write = write_liar,
		.zero = zero_liar,
		.discard = discard_liar,
		.extent = extent_liar,
	};
	struct f2fs_device_info info = *f2fs_device_info(liar->inner);

	info.caps &= ~(uint32_t)(F2FS_DEVICE_PARALLEL | F2FS_DEVICE_PARALLEL_WRITE); /* reads are counted */
	liar->reads = liar->at = liar->end = 0;
	return f2fs_device_open_custom(ctx, &ops, liar, &info, out);
}
