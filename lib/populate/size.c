/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the smallest volume that holds a tree. Formulas for blocks would repeat the code of the write side, with
 * differences. So the tree is copied, with zeros for contents, into a volume in memory, where zeros take no room. The
 * blocks used there give a first size. Sizes are then tried in the same way until one holds the tree. The real run then
 * does the same.
 */
#include <f2fskit/mkfs.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "device/device.h"
#include "populate/populate.h"
#include "populate/run.h"
#include "source/input.h"
#include "volume/volume.h"

#define FIRST_SIZE ((uint64_t)16 << 30) /* bytes of the volume that is counted in */
#define LAST_SIZE ((uint64_t)8 << 40)
#define MEMORY_LIMIT ((uint64_t)96 << 20) /* of that volume, before the temporary file */
#define PIECE 4096u

struct sizing {
	struct f2fs_context *ctx;
	const struct f2fs_mkfs_options *mkfs;
	struct f2fs_populate_options populate;
	const char *temporary;
	int64_t starts[2]; /* of the streams by descriptor: archive, manifest */
};

/* Blocks and segments that a tree took. */
struct usage {
	uint64_t blocks;
	uint32_t segments; /* with blocks in them */
};

/* ---- a device that remembers zeros as such */

static int read_inner(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	return f2fs_device_readv(self, offset, iov, count);
}

static int write_piece(struct f2fs_device *inner, uint64_t offset, uint8_t *bytes, size_t length)
{
	if (is_zero(bytes, length))
		return f2fs_device_zero(inner, offset, length);
	return device_write(inner, offset, bytes, length);
}

static int write_inner(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	int err = 0;

	for (unsigned i = 0; i < count && !err; i++) {
		uint8_t *bytes = iov[i].base;

		for (size_t at = 0, n; at < iov[i].length && !err; at += n) {
			n = iov[i].length - at < PIECE ? iov[i].length - at : PIECE;
			err = write_piece(self, offset + at, bytes + at, n);
		}
		offset += iov[i].length;
	}
	return err;
}

static int zero_inner(void *self, uint64_t offset, uint64_t length)
{
	return f2fs_device_zero(self, offset, length);
}

static void close_inner(void *self)
{
	f2fs_device_close(self);
}

static int open_scratch(const struct sizing *s, uint64_t size, struct f2fs_device **out)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops),
		.read = read_inner,
		.write = write_inner,
		.zero = zero_inner,
		.close = close_inner,
	};
	const struct f2fs_device_info info = { .size = size,
					       .sector_size = 512,
					       .caps = F2FS_DEVICE_WRITE | F2FS_DEVICE_ZEROED };
	struct f2fs_device *memory, *overlay;
	int err = f2fs_device_open_memory(s->ctx, size, &memory);

	if (err)
		return err;
	err = f2fs_device_open_overlay(memory, MEMORY_LIMIT, s->temporary, &overlay);
	f2fs_device_close(memory);
	if (err)
		return err;
	err = f2fs_device_open_custom(s->ctx, &ops, overlay, &info, out);
	if (err)
		f2fs_device_close(overlay);
	return err;
}

/* ---- one try */

static int rewind_streams(struct sizing *s)
{
	int err = source_input_rewind(s->ctx, s->populate.tar, s->starts[0]);

	return err ? err : source_input_rewind(s->ctx, s->populate.manifest, s->starts[1]);
}

static int count_usage(struct f2fs_volume *vol, struct usage *out)
{
	struct f2fs_segment_info entry;
	int err = 0;

	out->blocks = cp_valid_block_count(vol->view->cp);
	out->segments = 0;
	for (f2fs_seg_t segno = 0; segno < vol->geo.segment_count_main && !err; segno++) {
		err = f2fs_sit_lookup(vol, segno, &entry);
		out->segments += !err && entry.valid_blocks > 0;
	}
	return err;
}

static int fill(struct sizing *s, struct f2fs_device *dev, struct usage *out)
{
	struct f2fs_populate_result result;
	struct f2fs_volume *vol;
	int err = f2fs_volume_open(s->ctx, dev, NULL, &vol);

	if (err)
		return err;
	if (s->populate.prepare)
		err = s->populate.prepare(s->populate.prepare_user, vol);
	if (!err)
		err = populate_run(vol, &s->populate, &result, !s->populate.compression);
	if (!err || err == F2FS_ERR_INCOMPLETE)
		err = f2fs_volume_commit(vol);
	if (!err && out)
		err = count_usage(vol, out);
	f2fs_volume_close(vol);
	return err;
}

/* Make a volume of a size and copy the tree; NOSPC when it does not fit. *out, or NULL: its usage. */
static int try_size(struct sizing *s, uint64_t size, struct usage *out)
{
	struct f2fs_mkfs_device device = { .size = 0 };
	int err = rewind_streams(s);

	if (!err)
		err = open_scratch(s, size, &device.device);
	if (err)
		return err;
	err = f2fs_mkfs_write(s->ctx, &device, 1, s->mkfs, NULL);
	if (!err)
		err = fill(s, device.device, out);
	f2fs_device_close(device.device);
	return err;
}

/* ---- the search */

/* Could a volume of a size hold that much? */
static int has_room(struct sizing *s, uint64_t size, const struct usage *usage, bool *has)
{
	struct f2fs_mkfs_device device = { .size = 0 };
	struct f2fs_layout layout;
	int err = f2fs_device_open_memory(s->ctx, size, &device.device);

	if (err)
		return err;
	err = f2fs_mkfs_plan(s->ctx, &device, 1, s->mkfs, &layout);
	f2fs_device_close(device.device);
	if (error_is_full(s->ctx, err)) {
		*has = false;
		return 0;
	}
	if (err)
		return err;
	*has = layout.user_blocks >= usage->blocks && layout.geometry.segment_count_main >= F2FS_LOG_COUNT;
	if (s->mkfs->feature & F2FS_FEAT_RO) /* nothing fills the gaps that logs leave */
		*has = layout.user_blocks >= usage->blocks && layout.geometry.segment_count_main >= usage->segments;
	return 0;
}

/* The smallest multiple of step from low on that could hold that much. */
static int find_candidate(struct sizing *s, uint64_t step, const struct usage *usage, uint64_t *size)
{
	uint64_t low, high;
	bool has = false;
	int err = f2fs_mkfs_minimum_size(s->ctx, s->mkfs, &low);

	if (err)
		return err;
	low = (low + step - 1) / step;
	for (high = low; !err && !has; high *= 2) {
		err = has_room(s, high * step, usage, &has);
		if (has || err)
			break;
		low = high;
	}
	while (!err && low < high) {
		const uint64_t middle = low + (high - low) / 2;

		err = has_room(s, middle * step, usage, &has);
		if (has)
			high = middle;
		else
			low = middle + 1;
	}
	*size = high * step;
	return err;
}

/* Count in a volume that is large enough. */
static int count_tree(struct sizing *s, struct usage *usage)
{
	uint64_t size = FIRST_SIZE;
	int err;

	while (error_is_full(s->ctx, err = try_size(s, size, usage)) && size < LAST_SIZE)
		size *= 8;
	return err;
}

/* Search from a candidate: up to a size that fits, and down again to the largest that did not. */
static int prove(struct sizing *s, uint64_t step, uint64_t *size)
{
	uint64_t low = *size; /* too small, when it is less than *size */
	struct usage usage;
	int err;

	for (uint64_t more = 1; error_is_full(s->ctx, err = try_size(s, *size, &usage)) && more < 1u << 20; more *= 2) {
		low = *size;
		*size += more * step;
	}
	while (!err && *size > low + step) {
		const uint64_t middle = low + (*size - low) / step / 2 * step;

		err = try_size(s, middle, &usage);
		if (!err) {
			*size = middle;
		} else if (error_is_full(s->ctx, err)) {
			low = middle;
			err = 0;
		}
	}
	return err;
}

static uint64_t zone_bytes(const struct f2fs_mkfs_options *mkfs)
{
	const uint64_t segments = (uint64_t)(mkfs->segs_per_sec ? mkfs->segs_per_sec : 1) *
				  (mkfs->secs_per_zone ? mkfs->secs_per_zone : 1);

	return segments * F2FS_SEGMENT_BLOCKS * (mkfs->block_size ? mkfs->block_size : 4096);
}

/* The smallest size that is a multiple of step. */
static int find_smallest(struct sizing *s, uint64_t step, uint64_t *size)
{
	struct usage usage;
	int err = count_tree(s, &usage);

	if (!err)
		err = find_candidate(s, step, &usage, size);
	return err ? err : prove(s, step, size);
}

static int find_size(struct sizing *s, uint64_t *size)
{
	int err;

	*size = s->populate.enough;
	if (*size > 0) {
		err = try_size(s, *size, NULL);
		if (!error_is_full(s->ctx, err))
			return err;
	}
	return find_smallest(s, zone_bytes(s->mkfs), size);
}

int f2fs_populate_size(struct f2fs_context *ctx, const struct f2fs_mkfs_options *mkfs,
		       const struct f2fs_populate_options *populate, const char *temporary, uint64_t *size)
{
	struct f2fs_mkfs_options making;
	struct f2fs_populate_compression compression;
	struct sizing s = { .ctx = ctx, .mkfs = &making, .temporary = temporary };
	uint64_t found;
	int err;

	error_clear(ctx);
	err = sized_take(ctx, &making, sizeof(making), mkfs);
	if (!err)
		err = populate_take(ctx, &s.populate, &compression, populate);
	if (err)
		return err;
	if (making.zoned)
		return error_set(ctx, F2FS_ERR_INVALID, "the size of a zoned volume is that of its device");
	s.populate.entry = NULL;
	s.populate.problem = NULL;
	err = source_input_note(ctx, s.populate.tar, &s.starts[0]);
	if (!err)
		err = source_input_note(ctx, s.populate.manifest, &s.starts[1]);
	if (!err)
		err = find_size(&s, &found);
	if (!err)
		err = rewind_streams(&s);
	if (!err)
		*size = found;
	return err;
}
