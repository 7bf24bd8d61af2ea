/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer that shows some words of the device below with other values. Writes pass through, and end the patches that
 * they write over. The list of patches does not change, so workers may read at the same time.
 */
#include "device/patched.h"

#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "device/iov.h"
#include "device/layer.h"

struct patched {
	struct layer layer;
	struct device_patch *patches; /* ascending, none overlap */
	size_t count;
};

/* Does a patch end before the key's first byte? None overlap, so this is an order. */
static int compare_ends(const void *a, const void *b)
{
	const struct device_patch *patch = a, *key = b;

	return patch->offset + patch->length <= key->offset ? -1 : 0;
}

/* The first patch that ends after offset. */
static size_t seek(const struct patched *p, uint64_t offset)
{
	const struct device_patch key = { .offset = offset };

	return sorted_first(p->patches, p->count, sizeof(key), compare_ends, &key);
}

/* Put the part of a patch within [offset, offset + length) into the buffers that hold these bytes. */
static void apply(const struct device_patch *patch, uint64_t offset, uint64_t length, const struct f2fs_iovec *iov,
		  unsigned count)
{
	uint64_t from = patch->offset, end = patch->offset + patch->length;
	struct iov_cursor cursor;

	if (from < offset)
		from = offset;
	if (end > offset + length)
		end = offset + length;
	iov_cursor_init(&cursor, iov, count);
	iov_skip(&cursor, from - offset);
	iov_copy_in(&cursor, (patch->data ? patch->data : patch->bytes) + (from - patch->offset), (size_t)(end - from));
}

/* Does one patch have all these bytes? */
static bool is_inside(const struct patched *p, uint64_t offset, uint64_t length)
{
	const size_t i = seek(p, offset);
	const struct device_patch *patch = i < p->count ? &p->patches[i] : NULL;

	return patch && !patch->is_over && patch->offset <= offset && offset + length <= patch->offset + patch->length;
}

static int read_patched(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct patched *p = self;
	const uint64_t length = iov_length_capped(iov, count);
	int rc = is_inside(p, offset, length) ? 0 : device_readv_quiet(p->layer.inner, offset, iov, count);

	for (size_t i = seek(p, offset); rc == 0 && i < p->count && p->patches[i].offset < offset + length; i++)
		if (!p->patches[i].is_over)
			apply(&p->patches[i], offset, length, iov, count);
	return rc;
}

static void end_patches(struct patched *p, uint64_t offset, uint64_t length)
{
	for (size_t i = seek(p, offset); i < p->count && p->patches[i].offset < offset + length; i++)
		p->patches[i].is_over = true;
}

static int write_patched(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	end_patches(self, offset, iov_length_capped(iov, count));
	return layer_write(self, offset, iov, count);
}

static int zero_patched(void *self, uint64_t offset, uint64_t length)
{
	end_patches(self, offset, length);
	return layer_zero(self, offset, length);
}

static int discard_patched(void *self, uint64_t offset, uint64_t length)
{
	end_patches(self, offset, length);
	return layer_discard(self, offset, length);
}

static void close_patched(void *self)
{
	struct patched *p = self;

	mem_free(p->layer.ctx, p->patches);
	layer_close(self);
}

static const struct f2fs_device_ops patched_ops = {
	.read = read_patched,
	.write = write_patched,
	.zero = zero_patched,
	.discard = discard_patched,
	.flush = layer_flush,
	.extent = layer_extent,
	.zones = layer_zones,
	.zone_reset = layer_zone_reset,
	.zone_finish = layer_zone_finish,
	.close = close_patched,
};

static int compare(const void *a, const void *b)
{
	const struct device_patch *x = a, *y = b;

	return (x->offset > y->offset) - (x->offset < y->offset);
}

int device_new_patched(struct f2fs_device *inner, const struct device_patch *patches, size_t count,
		       struct f2fs_device **out)
{
	struct device_patch *own = mem_calloc(inner->ctx, count ? count : 1, sizeof(*own));
	struct patched *p;
	int rc;

	if (!own)
		return F2FS_ERR_NOMEM;
	if (count)
		memcpy(own, patches, count * sizeof(*own));
	qsort(own, count, sizeof(*own), compare);
	rc = layer_make(inner, sizeof(struct patched), &patched_ops, inner->info.caps, out);
	if (rc != 0) {
		mem_free(inner->ctx, own);
		return rc;
	}
	p = (*out)->self;
	p->patches = own;
	p->count = count;
	return 0;
}
