/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices in memory: a tree of 4 KiB pages that exist once written. A fork shares the tree and all pages; the first
 * write to a shared page copies it, so a fork itself takes constant time and space.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/device.h"
#include "device/iov.h"
#include "device/pagetree.h"

struct page {
	uint32_t refs;
	uint8_t data[PAGETREE_PAGE];
};

struct memory {
	struct f2fs_context *ctx;
	struct pagetree pages;
	uint64_t size;
};

static struct page *as_page(uint64_t value)
{
	return (struct page *)(uintptr_t)value;
}

static void retain_page(void *owner, uint64_t value)
{
	(void)owner;
	as_page(value)->refs++;
}

static void release_page(void *owner, uint64_t value)
{
	struct memory *memory = owner;

	if (--as_page(value)->refs == 0)
		mem_free(memory->ctx, as_page(value));
}

static int read_memory(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct memory *memory = self;
	struct iov_cursor cursor;
	uint64_t left = iov_length_capped(iov, count);

	iov_cursor_init(&cursor, iov, count);
	while (left > 0) {
		const size_t within = (size_t)(offset % PAGETREE_PAGE);
		uint64_t run;
		uint64_t value = pagetree_run(&memory->pages, offset / PAGETREE_PAGE, &run);
		uint64_t n = run * PAGETREE_PAGE - within;

		if (n > left)
			n = left;
		if (value == 0)
			iov_zero(&cursor, n);
		else
			iov_copy_in(&cursor, as_page(value)->data + within, (size_t)n);
		offset += n;
		left -= n;
	}
	return 0;
}

/* Return a page of ours alone; keep: its contents matter, they will not be overwritten as a whole. */
static struct page *get_writable_page(struct memory *memory, uint64_t number, bool keep)
{
	uint64_t *slot = pagetree_slot(&memory->pages, number);
	struct page *page;

	if (!slot)
		return NULL;
	if (*slot != 0 && as_page(*slot)->refs == 1)
		return as_page(*slot);
	page = mem_alloc(memory->ctx, sizeof(*page));
	if (!page)
		return NULL;
	page->refs = 1;
	if (keep && *slot == 0)
		memset(page->data, 0, PAGETREE_PAGE);
	else if (keep)
		memcpy(page->data, as_page(*slot)->data, PAGETREE_PAGE);
	if (*slot != 0)
		release_page(memory, *slot);
	*slot = (uint64_t)(uintptr_t)page;
	return page;
}

static int write_memory(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct memory *memory = self;
	struct iov_cursor cursor;
	uint64_t left = iov_length_capped(iov, count);

	iov_cursor_init(&cursor, iov, count);
	while (left > 0) {
		const size_t within = (size_t)(offset % PAGETREE_PAGE);
		size_t n = left < PAGETREE_PAGE - within ? (size_t)left : PAGETREE_PAGE - within;
		struct page *page = get_writable_page(memory, offset / PAGETREE_PAGE, n < PAGETREE_PAGE);

		if (!page)
			return F2FS_ERR_NOMEM;
		iov_copy_out(&cursor, page->data + within, n);
		offset += n;
		left -= n;
	}
	return 0;
}

/* Zero a part of one page. */
static int zero_within_page(struct memory *memory, uint64_t offset, uint64_t length)
{
	struct page *page;

	if (length == 0 || pagetree_get(&memory->pages, offset / PAGETREE_PAGE) == 0)
		return 0;
	page = get_writable_page(memory, offset / PAGETREE_PAGE, true);
	if (!page)
		return F2FS_ERR_NOMEM;
	memset(page->data + offset % PAGETREE_PAGE, 0, (size_t)length);
	return 0;
}

static int zero_memory(void *self, uint64_t offset, uint64_t length)
{
	struct memory *memory = self;
	const struct page_range whole = page_range_of(offset, length, memory->size);
	int rc = zero_within_page(memory, offset, whole.head_bytes);

	if (rc == 0)
		rc = zero_within_page(memory, whole.end * PAGETREE_PAGE, whole.tail_bytes);
	if (rc == 0)
		rc = pagetree_fill(&memory->pages, whole.first, whole.end - whole.first, 0);
	return rc;
}

static int find_memory_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct memory *memory = self;
	const uint64_t start = offset;
	uint64_t run;
	const bool hole = pagetree_run(&memory->pages, offset / PAGETREE_PAGE, &run) == 0;

	do {
		const uint64_t left = memory->size - offset;
		const uint64_t n = run * PAGETREE_PAGE - offset % PAGETREE_PAGE;

		offset += n < left ? n : left;
	} while (offset < memory->size && (pagetree_run(&memory->pages, offset / PAGETREE_PAGE, &run) == 0) == hole);
	*length = offset - start;
	*is_hole = hole;
	return 0;
}

static const uint8_t *peek_memory(void *self, uint64_t offset, size_t length)
{
	static const uint8_t zeros[PAGETREE_PAGE];
	const struct memory *memory = self;
	const size_t within = (size_t)(offset % PAGETREE_PAGE);
	uint64_t value;

	if (length > PAGETREE_PAGE - within || !range_within(offset, length, memory->size) || length == 0)
		return NULL;
	value = pagetree_get(&memory->pages, offset / PAGETREE_PAGE);
	return value == 0 ? zeros : as_page(value)->data + within;
}

static void close_memory(void *self)
{
	struct memory *memory = self;

	pagetree_fini(&memory->pages);
	mem_free(memory->ctx, memory);
}

static const struct f2fs_device_ops memory_ops = {
	.read = read_memory,
	.write = write_memory,
	.zero = zero_memory,
	.discard = zero_memory,
	.extent = find_memory_extent,
	.close = close_memory,
};

static int make_memory(struct f2fs_context *ctx, uint64_t size, const struct memory *share, struct f2fs_device **out)
{
	const struct f2fs_device_info info = { .size = size,
					       .sector_size = 512,
					       .caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_PARALLEL | F2FS_DEVICE_DISCARD |
						       F2FS_DEVICE_ZEROED };
	struct memory *memory = mem_zalloc(ctx, sizeof(*memory));
	struct f2fs_device *dev;
	int rc;

	if (!memory)
		return F2FS_ERR_NOMEM;
	memory->ctx = ctx;
	memory->size = size;
	pagetree_init(&memory->pages, ctx, div_ceil64(size, PAGETREE_PAGE));
	memory->pages.owner = memory;
	memory->pages.retain = retain_page;
	memory->pages.release = release_page;
	rc = device_make(ctx, "memory", &memory_ops, memory, &info, &dev);
	if (rc != 0) {
		mem_free(ctx, memory);
		return rc;
	}
	dev->peek = peek_memory;
	if (share)
		pagetree_share(&memory->pages, &share->pages);
	*out = dev;
	return 0;
}

int f2fs_device_open_memory(struct f2fs_context *ctx, uint64_t size, struct f2fs_device **out)
{
	error_clear(ctx);
	return make_memory(ctx, size, NULL, out);
}

int f2fs_device_fork_memory(struct f2fs_device *memory, struct f2fs_device **out)
{
	const struct memory *from = device_self(memory, read_memory);

	error_clear(memory->ctx);
	if (!from)
		return error_set(memory->ctx, F2FS_ERR_INVALID, "%s is not a memory device", memory->name);
	return make_memory(memory->ctx, from->size, from, out);
}
