/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The device of a metadata image: blocks that belong into it, changed on the way where they have to be, and holes.
 */
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "device/iov.h"
#include "device/layer.h"
#include "forensics/meta.h"
#include "forensics/meta_choose.h"
#include "forensics/meta_scrub.h"
#include "format/flags.h"
#include "format/superblock.h"
#include "volume/rescue_features.h"
#include "volume/volume.h"
#include "volume/weigh.h"

#define DEVICES_MAX 8u
#define SUPERBLOCKS 2u /* in the first blocks */

struct metaimage {
	struct layer layer;
	struct meta_plan plan;
	uint8_t *block;
};

static bool is_data(const struct metaimage *image, uint64_t number)
{
	const struct f2fs_geometry *geo = &image->plan.geo;

	if (number < geo->main_blkaddr)
		return true;
	return number < geo->end_blkaddr && msb_test(image->plan.kept, (size_t)(number - geo->main_blkaddr));
}

/* The image is one device: a superblock that names several names none there. One that breaks a rule stays as it is. */
static void join_devices(uint8_t *sb)
{
	if (superblock_device_count(sb) < 2 || superblock_check(sb) != RULE_NONE)
		return;
	memset(sb + sb_OFS_devs, 0, (size_t)DEVICES_MAX * sbdev_SIZE);
	if (sb_feature(sb) & F2FS_FEAT_SB_CHECKSUM)
		sb_set_crc(sb, superblock_crc(sb));
}

/* Read a block of which length bytes are on the device. */
static int load_block(struct metaimage *image, uint64_t number, size_t length)
{
	const uint32_t bs = image->plan.geo.block_size;

	memset(image->block, 0, bs);
	if (!is_data(image, number))
		return 0;
	if (device_read_quiet(image->layer.inner, number * bs, image->block, length) != 0) {
		memset(image->block, 0, bs);
		meta_note_unreadable(&image->plan, number);
		return 0;
	}
	if (number < SUPERBLOCKS && length == bs)
		join_devices(image->block + SB_OFFSET);
	if (number >= image->plan.geo.main_blkaddr && image->plan.options.content == F2FS_METADATA_ONLY)
		return meta_scrub(&image->plan, (f2fs_blk_t)number, image->block);
	return 0;
}

static int read_image(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct metaimage *image = self;
	const uint32_t bs = image->plan.geo.block_size;
	const uint64_t size = image->layer.inner->info.size;
	uint64_t left = iov_length_capped(iov, count);
	struct iov_cursor cursor;

	iov_cursor_init(&cursor, iov, count);
	while (left > 0) {
		const uint64_t number = offset / bs, start = number * bs;
		const uint32_t within = (uint32_t)(offset - start);
		const uint64_t n = left < bs - within ? left : bs - within;

		const int err = load_block(image, number, size - start < bs ? (size_t)(size - start) : bs);

		if (err)
			return err;
		iov_copy_in(&cursor, image->block + within, (size_t)n);
		offset += n;
		left -= n;
	}
	return 0;
}

/* How many blocks from number on are alike in being data; at least one. */
static uint64_t run_of(const struct metaimage *image, uint64_t number, bool data)
{
	const struct f2fs_geometry *geo = &image->plan.geo;
	uint64_t end = number + 1;

	while (end < geo->end_blkaddr && is_data(image, end) == data) {
		const size_t bit = (size_t)(end - geo->main_blkaddr);

		/* 8 blocks at a step, where there is nothing */
		end += !data && bit % 8 == 0 && image->plan.kept[bit / 8] == 0 ? 8 : 1;
	}
	return end - number;
}

static int find_image_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	struct metaimage *image = self;
	const struct f2fs_geometry *geo = &image->plan.geo;
	const uint64_t bs = geo->block_size, size = image->layer.inner->info.size;
	const uint64_t number = offset / bs, main_start = geo->main_blkaddr * bs;
	uint64_t end;

	if (offset < main_start) { /* as the volume has it */
		const int rc = device_extent_quiet(image->layer.inner, offset, length, is_hole);

		if (rc == 0 && *length > main_start - offset)
			*length = main_start - offset;
		return rc;
	}
	*is_hole = !is_data(image, number);
	end = number >= geo->end_blkaddr ? size : (number + run_of(image, number, !*is_hole)) * bs;
	if (end >= geo->end_blkaddr * bs && *is_hole)
		end = size;
	*length = (end < size ? end : size) - offset;
	return 0;
}

static void close_image(void *self)
{
	struct metaimage *image = self;

	mem_free(image->layer.ctx, image->block);
	mem_free(image->layer.ctx, image->plan.kept);
	map32_fini(&image->plan.kinds);
	map32_fini(&image->plan.dirs);
	layer_close(image);
}

static const struct f2fs_device_ops image_ops = {
	.read = read_image,
	.extent = find_image_extent,
	.close = close_image,
};

static int set_up(struct metaimage *image, struct f2fs_volume *vol, const struct f2fs_metadata_options *options)
{
	struct meta_plan *plan = &image->plan;
	struct features_seen seen = { 0 };
	int err = 0;

	plan->ctx = vol->ctx;
	plan->geo = vol->geo;
	plan->checksum_seed = vol->checksum_seed;
	if (geometry_has(&vol->geo, F2FS_FEAT_QUOTA))
		err = quota_files_look(vol, &seen);
	for (unsigned i = 0; i < 3 && !err; i++) {
		plan->quota_inos[i] = sb_qf_ino(vol->sb, i);
		plan->quota_inos[3 + i] = seen.quota[i];
	}
	plan->options = *options;
	plan->stat.first_unreadable = F2FS_NO_BLOCK;
	map32_init(&plan->kinds, vol->ctx);
	map32_init(&plan->dirs, vol->ctx);
	if (options->key)
		memcpy(plan->key, options->key, sizeof(plan->key));
	else if (!err && (options->flags & F2FS_METADATA_SCRAMBLE))
		err = random_fill(vol->ctx, plan->key, sizeof(plan->key));
	plan->options.key = NULL; /* the caller's */
	image->block = mem_alloc(vol->ctx, vol->geo.block_size);
	if (!err && !image->block)
		err = F2FS_ERR_NOMEM;
	return err ? err : meta_choose(plan, vol);
}

int f2fs_metadata_open(struct f2fs_volume *vol, const struct f2fs_metadata_options *options, struct f2fs_device **out)
{
	struct f2fs_metadata_options own;
	struct f2fs_device *dev;
	int err;

	error_clear(vol->ctx);
	err = sized_take(vol->ctx, &own, sizeof(own), options);
	if (err)
		return err;
	if (own.content < F2FS_METADATA_ONLY || own.content > F2FS_METADATA_USED ||
	    (own.content == F2FS_METADATA_USED && own.flags))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no such copy of metadata");
	if (vol->as_of)
		return error_set(vol->ctx, F2FS_ERR_STATE,
				 "a view of an earlier checkpoint has no tables of its time that could be copied");
	err = layer_make(vol->dev, sizeof(struct metaimage), &image_ops, 0, &dev);
	if (err)
		return err;
	dev->below = NULL;
	err = set_up(dev->self, vol, &own);
	if (err) {
		f2fs_device_close(dev);
		return err;
	}
	*out = dev;
	return 0;
}

int f2fs_metadata_stat(const struct f2fs_device *dev, struct f2fs_metadata_stat *out)
{
	const struct metaimage *image = device_self(dev, read_image);
	int err;

	error_clear(dev->ctx);
	if (!image)
		return error_set(dev->ctx, F2FS_ERR_INVALID, "%s is no copy of metadata", dev->name);
	err = sized_check(dev->ctx, out, sizeof(image->plan.stat));
	sized_give(out, &image->plan.stat, sizeof(image->plan.stat));
	return err;
}
