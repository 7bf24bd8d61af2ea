/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy-on-write over a device: writes are kept in pages of 4 KiB, in memory up to a limit and beyond it in a temporary
 * file; zeroed ranges take no space. The device below is only read until the overlay is applied, which makes a dry run
 * the same run without the last step.
 *
 * A page's value in the tree is 0 (as below), ZEROS, the address of its bytes, or a slot of the temporary file. The
 * tree itself stays in memory: some 8 bytes for each page.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "device/hostfd.h"
#include "device/iov.h"
#include "device/layer.h"
#include "device/overlay.h"
#include "device/pagetree.h"
#include "device/spill.h"
#include "device/zone_state.h"

#define DEFAULT_LIMIT (64u << 20)
#define APPLY_SIZE (1u << 20)

#define AS_BELOW 0u
#define ZEROS 1u
#define IS_SPILLED 2u /* low bits of a slot's value; those of an address are 0 */
#define LOW_BITS 7u

struct overlay {
	struct layer layer;
	struct pagetree pages;
	struct spill spill;
	uint64_t size;
	uint64_t limit;
	uint64_t held; /* pages in memory */
	struct zone_state zones;
};

static bool is_spilled(uint64_t value)
{
	return (value & LOW_BITS) == IS_SPILLED && value >= PAGETREE_UNIFORM;
}

static bool is_held(uint64_t value)
{
	return (value & LOW_BITS) == 0 && value >= PAGETREE_UNIFORM;
}

static uint8_t *as_bytes(uint64_t value)
{
	return (uint8_t *)(uintptr_t)value;
}

/* Slots count from 1 in values, so that none looks like a uniform value. */
static uint64_t value_of_slot(uint64_t slot)
{
	return (slot + 1) << 3 | IS_SPILLED;
}

static uint64_t slot_of_value(uint64_t value)
{
	return (value >> 3) - 1;
}

static void release_page(void *owner, uint64_t value)
{
	struct overlay *overlay = owner;

	if (is_spilled(value)) {
		spill_give_back(&overlay->spill, slot_of_value(value));
		return;
	}
	mem_free(overlay->layer.ctx, as_bytes(value));
	overlay->held--;
}

/* ---- reading ---- */

/* Return the value at page and for how many pages from there on one request can serve. */
static uint64_t find_run(const struct overlay *overlay, uint64_t page, uint64_t max, uint64_t *count)
{
	const uint64_t value = pagetree_run(&overlay->pages, page, count);

	while (is_spilled(value) && *count < max && page + *count < overlay->pages.page_count &&
	       pagetree_get(&overlay->pages, page + *count) == value + (*count << 3))
		++*count;
	return value;
}

static int read_pieces(const struct overlay *overlay, uint64_t value, uint64_t offset, struct iov_cursor *cursor,
		       uint64_t length)
{
	struct f2fs_iovec part[IOV_PART];
	uint64_t place = offset;
	unsigned filled;
	int rc = 0;

	if (is_spilled(value))
		place = slot_of_value(value) * PAGETREE_PAGE + offset % PAGETREE_PAGE;
	while (rc == 0 && length > 0) {
		const uint64_t n = iov_take(cursor, length, part, &filled);

		rc = is_spilled(value) ? hostfd_read(overlay->spill.fd, place, part, filled)
				       : device_readv_quiet(overlay->layer.inner, place, part, filled);
		place += n;
		length -= n;
	}
	return rc;
}

static int read_overlay(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	const struct overlay *overlay = self;
	struct iov_cursor cursor;
	uint64_t left = iov_length_capped(iov, count);
	int rc = 0;

	iov_cursor_init(&cursor, iov, count);
	while (rc == 0 && left > 0) {
		const uint64_t within = offset % PAGETREE_PAGE;
		uint64_t run;
		const uint64_t value = find_run(overlay, offset / PAGETREE_PAGE, left / PAGETREE_PAGE + 2, &run);
		uint64_t n = run * PAGETREE_PAGE - within;

		if (n > left)
			n = left;
		if (value == ZEROS)
			iov_zero(&cursor, n);
		else if (is_held(value))
			iov_copy_in(&cursor, as_bytes(value) + within, (size_t)n);
		else
			rc = read_pieces(overlay, value, offset, &cursor, n);
		offset += n;
		left -= n;
	}
	return rc;
}

/* ---- writing ---- */

static bool is_full(const struct overlay *overlay)
{
	return overlay->held * PAGETREE_PAGE + pagetree_bytes(&overlay->pages) + PAGETREE_PAGE > overlay->limit;
}

/* Read a page as it is now; past the end of the device it is zeros. */
static int load_page(struct overlay *overlay, uint64_t page, uint8_t *bytes)
{
	const uint64_t left = overlay->size - page * PAGETREE_PAGE;
	const size_t n = left < PAGETREE_PAGE ? (size_t)left : PAGETREE_PAGE;
	struct f2fs_iovec iov = { bytes, n };

	memset(bytes + n, 0, PAGETREE_PAGE - n);
	return read_overlay(overlay, page * PAGETREE_PAGE, &iov, 1);
}

/* Put a page that so far is as below, or zeros, into the temporary file. */
static int spill_page(struct overlay *overlay, uint64_t page, const uint8_t *bytes)
{
	struct f2fs_iovec iov = iov_of_const(bytes, PAGETREE_PAGE);
	uint64_t count = 1;
	uint64_t slot;
	int rc = spill_open(&overlay->spill);

	if (rc != 0)
		return rc;
	slot = spill_take(&overlay->spill, &count);
	rc = hostfd_write(overlay->spill.fd, slot * PAGETREE_PAGE, &iov, 1);
	if (rc == 0)
		rc = pagetree_set(&overlay->pages, page, value_of_slot(slot));
	if (rc != 0)
		spill_give_back(&overlay->spill, slot);
	return rc;
}

static int refuse_more(struct overlay *overlay)
{
	return error_set(overlay->layer.ctx, F2FS_ERR_NOMEM,
			 "the changes to %s take more than %llu bytes, and there is no directory for the rest",
			 overlay->layer.inner->name, (unsigned long long)overlay->limit);
}

/* Write into a page that so far is as below, or zeros. */
static int add_page(struct overlay *overlay, uint64_t page, size_t within, struct iov_cursor *cursor, size_t length)
{
	const bool full = is_full(overlay);
	uint8_t *bytes;
	int rc = 0;

	if (full && !overlay->spill.dir)
		return refuse_more(overlay);
	bytes = mem_alloc(overlay->layer.ctx, PAGETREE_PAGE);
	if (!bytes)
		return F2FS_ERR_NOMEM;
	if (length < PAGETREE_PAGE)
		rc = load_page(overlay, page, bytes);
	if (rc == 0) {
		iov_copy_out(cursor, bytes + within, length);
		rc = full ? spill_page(overlay, page, bytes)
			  : pagetree_set(&overlay->pages, page, (uint64_t)(uintptr_t)bytes);
	}
	if (rc == 0 && !full)
		overlay->held++;
	else
		mem_free(overlay->layer.ctx, bytes);
	return rc;
}

/* Write whole pages that so far are as below, or zeros, to the temporary file in one request; *done: bytes written. */
static int spill_run(struct overlay *overlay, uint64_t page, uint64_t count, struct iov_cursor *cursor, uint64_t *done)
{
	struct f2fs_iovec part[IOV_PART];
	uint64_t taken = 0;
	uint64_t slot;
	unsigned filled;
	int rc = spill_open(&overlay->spill);

	if (rc != 0)
		return rc;
	slot = spill_take(&overlay->spill, &count);
	while (rc == 0 && taken < count * PAGETREE_PAGE) {
		const uint64_t n = iov_take(cursor, count * PAGETREE_PAGE - taken, part, &filled);

		rc = hostfd_write(overlay->spill.fd, slot * PAGETREE_PAGE + taken, part, filled);
		taken += n;
	}
	for (uint64_t i = 0; i < count; i++) {
		if (rc == 0)
			rc = pagetree_set(&overlay->pages, page + i, value_of_slot(slot + i));
		if (rc != 0)
			spill_give_back(&overlay->spill, slot + i);
	}
	*done = count * PAGETREE_PAGE;
	return rc;
}

/* Change a page that has bytes of its own. */
static int change_page(struct overlay *overlay, uint64_t value, size_t within, struct iov_cursor *cursor, size_t length)
{
	uint64_t place = slot_of_value(value) * PAGETREE_PAGE + within;
	int rc = 0;

	if (is_held(value)) {
		iov_copy_out(cursor, as_bytes(value) + within, length);
		return 0;
	}
	while (rc == 0 && length > 0) {
		struct f2fs_iovec part[IOV_PART];
		unsigned filled;
		const uint64_t n = iov_take(cursor, length, part, &filled);

		rc = hostfd_write(overlay->spill.fd, place, part, filled);
		place += n;
		length -= (size_t)n;
	}
	return rc;
}

static int write_overlay(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct overlay *overlay = self;
	const uint64_t start = offset;
	struct iov_cursor cursor;
	uint64_t left = iov_length_capped(iov, count);
	int rc = 0;

	iov_cursor_init(&cursor, iov, count);
	while (rc == 0 && left > 0) {
		const uint64_t page = offset / PAGETREE_PAGE;
		const size_t within = (size_t)(offset % PAGETREE_PAGE);
		uint64_t n = left < PAGETREE_PAGE - within ? left : PAGETREE_PAGE - within;
		uint64_t run;
		const uint64_t value = pagetree_run(&overlay->pages, page, &run);

		if (value >= PAGETREE_UNIFORM) {
			rc = change_page(overlay, value, within, &cursor, (size_t)n);
		} else if (n == PAGETREE_PAGE && overlay->spill.dir && is_full(overlay)) {
			if (run > left / PAGETREE_PAGE)
				run = left / PAGETREE_PAGE;
			rc = spill_run(overlay, page, run, &cursor, &n);
		} else {
			rc = add_page(overlay, page, within, &cursor, (size_t)n);
		}
		offset += n;
		left -= n;
	}
	if (rc == 0)
		zone_state_advance(&overlay->zones, start, offset - start);
	return rc;
}

/* Zero a part of one page. */
static int zero_within_page(struct overlay *overlay, uint64_t offset, uint64_t length)
{
	static const uint8_t zeros[PAGETREE_PAGE];
	struct f2fs_iovec iov = iov_of_const(zeros, (size_t)length);

	if (length == 0 || pagetree_get(&overlay->pages, offset / PAGETREE_PAGE) == ZEROS)
		return 0;
	return write_overlay(overlay, offset, &iov, 1);
}

static int zero_overlay(void *self, uint64_t offset, uint64_t length)
{
	struct overlay *overlay = self;
	const struct page_range whole = page_range_of(offset, length, overlay->size);
	int rc = zero_within_page(overlay, offset, whole.head_bytes);

	if (rc == 0)
		rc = zero_within_page(overlay, whole.end * PAGETREE_PAGE, whole.tail_bytes);
	if (rc == 0)
		rc = pagetree_fill(&overlay->pages, whole.first, whole.end - whole.first, ZEROS);
	return rc;
}

/* Below, nothing becomes durable before the overlay is applied. */
static int flush_overlay(void *self)
{
	(void)self;
	return 0;
}

static int report_overlay_zones(void *self, uint64_t first, struct f2fs_zone *zones, unsigned count, unsigned *found)
{
	return zone_state_report(&((struct overlay *)self)->zones, first, zones, count, found);
}

static int reset_overlay_zone(void *self, uint64_t offset)
{
	const struct f2fs_zone *zone = zone_state_reset(&((struct overlay *)self)->zones, offset);

	return zone ? zero_overlay(self, zone->start, zone->length) : F2FS_ERR_INVALID;
}

static int finish_overlay_zone(void *self, uint64_t offset)
{
	return zone_state_finish(&((struct overlay *)self)->zones, offset) ? 0 : F2FS_ERR_INVALID;
}

/* ---- what changed ---- */

enum page_kind { KIND_BELOW, KIND_ZEROED, KIND_BYTES };

static enum page_kind kind_of(uint64_t value)
{
	return value == AS_BELOW ? KIND_BELOW : value == ZEROS ? KIND_ZEROED : KIND_BYTES;
}

/* Return how many pages from page on are of the same kind, which is stored. */
static uint64_t find_alike(const struct overlay *overlay, uint64_t page, enum page_kind *kind)
{
	const uint64_t total = overlay->pages.page_count - page;
	uint64_t run;
	uint64_t n;

	*kind = kind_of(pagetree_run(&overlay->pages, page, &run));
	for (n = run; n < total && kind_of(pagetree_run(&overlay->pages, page + n, &run)) == *kind;)
		n += run;
	return n;
}

static int find_overlay_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	const struct overlay *overlay = self;
	enum page_kind kind;
	const uint64_t n = find_alike(overlay, offset / PAGETREE_PAGE, &kind) * PAGETREE_PAGE - offset % PAGETREE_PAGE;
	int rc;

	if (kind == KIND_BELOW) {
		rc = device_extent_quiet(overlay->layer.inner, offset, length, is_hole);
		if (rc == 0 && *length > n)
			*length = n;
		return rc;
	}
	*length = n;
	*is_hole = kind == KIND_ZEROED;
	return 0;
}

static void close_overlay(void *self)
{
	struct overlay *overlay = self;

	pagetree_fini(&overlay->pages);
	spill_fini(&overlay->spill);
	zone_state_fini(&overlay->zones);
	layer_close(self);
}

static const struct f2fs_device_ops overlay_ops = {
	.read = read_overlay,
	.write = write_overlay,
	.zero = zero_overlay,
	.flush = flush_overlay,
	.extent = find_overlay_extent,
	.zones = report_overlay_zones,
	.zone_reset = reset_overlay_zone,
	.zone_finish = finish_overlay_zone,
	.close = close_overlay,
};

int device_new_overlay(struct f2fs_device *inner, uint64_t memory_limit, const char *spill_dir,
		       struct f2fs_device **out)
{
	const uint32_t keep = F2FS_DEVICE_PARALLEL | F2FS_DEVICE_ZEROED | F2FS_DEVICE_ZONED;
	struct overlay *overlay;
	struct f2fs_device *dev;
	int rc;

	rc = layer_make(inner, sizeof(*overlay), &overlay_ops, (inner->info.caps & keep) | F2FS_DEVICE_WRITE, &dev);
	if (rc == 0)
		dev->owner = 0; /* writes stay with the process */
	if (rc != 0)
		return rc;
	overlay = dev->self;
	overlay->size = inner->info.size;
	overlay->limit = memory_limit ? memory_limit : DEFAULT_LIMIT;
	pagetree_init(&overlay->pages, inner->ctx, div_ceil64(overlay->size, PAGETREE_PAGE));
	overlay->pages.owner = overlay;
	overlay->pages.release = release_page;
	rc = spill_init(&overlay->spill, inner->ctx, spill_dir);
	if (rc == 0 && (inner->info.caps & F2FS_DEVICE_ZONED))
		rc = zone_state_copy(&overlay->zones, inner);
	if (rc != 0) {
		f2fs_device_close(dev);
		return rc;
	}
	*out = dev;
	return 0;
}

int f2fs_device_open_overlay(struct f2fs_device *inner, uint64_t memory_limit, const char *spill_dir,
			     struct f2fs_device **out)
{
	error_clear(inner->ctx);
	return device_new_overlay(inner, memory_limit, spill_dir, out);
}

/* Write one run of pages that are alike to the device below. */
static int apply_run(struct overlay *overlay, uint64_t page, uint64_t count, bool zeroed, uint8_t *buffer)
{
	const uint64_t end =
		overlay->size < (page + count) * PAGETREE_PAGE ? overlay->size : (page + count) * PAGETREE_PAGE;
	int rc = 0;

	if (zeroed)
		return device_zero_quiet(overlay->layer.inner, page * PAGETREE_PAGE, end - page * PAGETREE_PAGE);
	for (uint64_t offset = page * PAGETREE_PAGE; rc == 0 && offset < end; offset += APPLY_SIZE) {
		const size_t n = end - offset < APPLY_SIZE ? (size_t)(end - offset) : APPLY_SIZE;
		struct f2fs_iovec iov = { buffer, n };

		rc = read_overlay(overlay, offset, &iov, 1);
		if (rc == 0)
			rc = device_writev_quiet(overlay->layer.inner, offset, &iov, 1);
	}
	return rc;
}

static int apply_all(struct overlay *overlay, uint8_t *buffer, uint64_t *place)
{
	uint64_t count;
	int rc = 0;

	for (uint64_t page = 0; rc == 0 && page < overlay->pages.page_count; page += count) {
		enum page_kind kind;

		count = find_alike(overlay, page, &kind);
		*place = page * PAGETREE_PAGE;
		if (kind != KIND_BELOW)
			rc = apply_run(overlay, page, count, kind == KIND_ZEROED, buffer);
	}
	return rc == 0 ? device_flush_quiet(overlay->layer.inner) : rc;
}

static struct overlay *as_overlay(struct f2fs_device *dev)
{
	struct overlay *overlay = device_self(dev, read_overlay);

	if (!overlay)
		error_set(dev->ctx, F2FS_ERR_INVALID, "%s is not an overlay", dev->name);
	return overlay;
}

int f2fs_device_overlay_apply(struct f2fs_device *dev)
{
	struct overlay *overlay;
	struct f2fs_device *inner;
	uint64_t place = 0;
	uint8_t *buffer;
	int rc;

	error_clear(dev->ctx);
	overlay = as_overlay(dev);
	if (!overlay)
		return F2FS_ERR_INVALID;
	inner = overlay->layer.inner;
	if (!(inner->info.caps & F2FS_DEVICE_WRITE))
		return error_set(dev->ctx, F2FS_ERR_READ_ONLY, "%s was opened read-only", inner->name);
	if (inner->info.caps & F2FS_DEVICE_ZONED)
		return error_set(dev->ctx, F2FS_ERR_UNSUPPORTED, "changes cannot be applied to %s: it has zones",
				 inner->name);
	buffer = mem_alloc(dev->ctx, APPLY_SIZE);
	if (!buffer)
		return F2FS_ERR_NOMEM;
	rc = apply_all(overlay, buffer, &place);
	mem_free(dev->ctx, buffer);
	/* After a failure everything is kept: reading continues as before, and applying can be tried again. */
	if (rc != 0)
		return device_report(inner, rc, "apply changes to", place, inner->info.size);
	pagetree_fini(&overlay->pages);
	spill_clear(&overlay->spill);
	return 0;
}

/* Return how many pages from page on have changed. */
static uint64_t find_changed(const struct overlay *overlay, uint64_t page)
{
	const uint64_t start = page;

	while (page < overlay->pages.page_count) {
		enum page_kind kind;
		const uint64_t n = find_alike(overlay, page, &kind);

		if (kind == KIND_BELOW)
			break;
		page += n;
	}
	return page - start;
}

int f2fs_device_overlay_changes(struct f2fs_device *dev, int (*visit)(void *user, uint64_t offset, uint64_t length),
				void *user)
{
	struct overlay *overlay;
	uint64_t page = 0;
	uint64_t count;

	error_clear(dev->ctx);
	overlay = as_overlay(dev);
	if (!overlay)
		return F2FS_ERR_INVALID;
	for (; page < overlay->pages.page_count; page += count) {
		const uint64_t offset = page * PAGETREE_PAGE;
		uint64_t end;
		int rc;

		count = find_changed(overlay, page);
		if (count == 0) {
			enum page_kind kind;

			count = find_alike(overlay, page, &kind);
			continue;
		}
		end = offset + count * PAGETREE_PAGE;
		rc = visit(user, offset, (end < overlay->size ? end : overlay->size) - offset);
		if (rc != 0)
			return rc;
	}
	return 0;
}
