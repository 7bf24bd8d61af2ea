/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening and closing a volume, and its stack of devices.
 */
#include "volume/volume.h"

#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/crc.h"
#include "base/digests.h"
#include "base/error.h"
#include "device/cache.h"
#include "device/multi.h"
#include "device/overlay.h"
#include "device/patched.h"
#include "device/retry.h"
#include "device/slice.h"
#include "format/superblock.h"
#include "volume/amends.h"
#include "volume/beside.h"
#include "volume/block_read.h"
#include "volume/clock.h"
#include "volume/device_order.h"
#include "volume/half_pack.h"
#include "volume/heads_read.h"
#include "volume/keyring.h"
#include "volume/rescue.h"
#include "volume/roots.h"
#include "volume/weigh.h"
#include "volume/zone_map.h"

/* Have a device's failed reads tried again; its reference is taken over, whatever comes of it. */
static int read_again(struct f2fs_device **dev)
{
	struct f2fs_device *layer = NULL;
	int err = device_new_retry(*dev, &layer);

	f2fs_device_close(*dev);
	*dev = layer;
	return err;
}

/* Get device number i of the device table: given by the caller, or asked for by path. */
static int get_device(struct f2fs_volume *vol, const struct f2fs_open_options *opt, unsigned i,
		      struct f2fs_device **out)
{
	char path[65] = "";
	int err;

	memcpy(path, sbdev_path(superblock_device(vol->sb, i)), 64);
	if (opt->devices) {
		if (i - 1 >= opt->device_count)
			return error_set(vol->ctx, F2FS_ERR_INVALID,
					 "the volume has %u devices but only %u were given; missing number %u (%s)",
					 superblock_device_count(vol->sb), opt->device_count + 1, i + 1, path);
		*out = f2fs_device_ref(opt->devices[i - 1]);
		return 0;
	}
	if (!opt->open_device)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "the volume has %u devices; number %u (%s) was not given",
				 superblock_device_count(vol->sb), i + 1, path);
	err = opt->open_device(opt->user, path, out);
	if (err && vol->ctx->error.code == 0)
		return error_set(vol->ctx, err, "device number %u of the volume (%s) cannot be opened", i + 1, path);
	return err;
}

/* Is a device called as the table calls another one? Names of block devices change, so this is a hint. */
static int note_names(struct f2fs_volume *vol, const struct f2fs_device_part *parts, unsigned count)
{
	for (unsigned i = 1; i < count; i++)
		for (unsigned other = 1; other < count; other++) {
			char path[65] = "";
			const char *given = strrchr(parts[i].device->name, '/'), *named;

			memcpy(path, sbdev_path(superblock_device(vol->sb, other)), 64);
			given = given ? given + 1 : parts[i].device->name;
			named = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
			if (strcmp(given, named) == 0 && other != i)
				return volume_note(vol,
						   "device number %u is called %s, as the volume calls its number %u: "
						   "is the order right?",
						   i + 1, given, other + 1);
			if (strcmp(given, named) == 0)
				break;
		}
	return 0;
}

/* Put the devices of a volume on several devices into one address space (FORMAT volume 9.3). */
static int join_devices(struct f2fs_volume *vol, const struct f2fs_open_options *opt)
{
	unsigned n = superblock_device_count(vol->sb), got = 1;
	struct f2fs_device_part parts[8] = { { 0 } };
	struct f2fs_device *joined = NULL;
	int err = 0;

	parts[0].device = f2fs_device_ref(vol->dev);
	for (; got < n && !err; got++) {
		err = get_device(vol, opt, got, &parts[got].device);
		if (err)
			break;
		err = read_again(&parts[got].device);
	}
	for (unsigned i = 0; i < got && !err; i++) {
		uint64_t start;

		parts[i].length = superblock_device_range(vol->sb, i, &start) * vol->geo.block_size;
		if (parts[i].length > f2fs_device_info(parts[i].device)->size)
			err = error_set(vol->ctx, F2FS_ERR_INVALID,
					"device number %u of the volume is too short: %llu bytes, %llu are needed",
					i + 1, (unsigned long long)f2fs_device_info(parts[i].device)->size,
					(unsigned long long)parts[i].length);
	}
	if (!err)
		err = device_new_multi(vol->ctx, parts, n, &joined);
	if (!err && opt->devices)
		err = note_names(vol, parts, n);
	for (unsigned i = 0; i < got; i++)
		f2fs_device_close(parts[i].device);
	if (err) {
		f2fs_device_close(joined);
		return err;
	}
	f2fs_device_close(vol->dev);
	vol->dev = joined;
	return 0;
}

static int check_device_size(struct f2fs_volume *vol)
{
	uint64_t need = vol->geo.end_blkaddr * vol->geo.block_size, have = f2fs_device_info(vol->dev)->size;

	if (need <= have)
		return 0;
	return volume_note(vol,
			   "the image is shorter than its volume: %llu bytes of %llu; data past the end cannot "
			   "be read",
			   (unsigned long long)have, (unsigned long long)need);
}

static int note_writer(struct f2fs_volume *vol)
{
	const char *who = device_writer(vol->dev);

	return who ? volume_note(vol, "%s has the volume open for writing: results may change meanwhile", who) : 0;
}

/* Read and write through a layer over the volume's device; takes the layer over, whatever comes of it. */
static int use_device(struct f2fs_volume *vol, struct f2fs_device *layer, uint64_t cache_bytes)
{
	struct f2fs_device *cache;
	int err = device_new_cache(layer, cache_bytes ? cache_bytes : VOLUME_CACHE_BYTES, vol->geo.block_size, &cache);

	if (err) {
		f2fs_device_close(layer);
		return err;
	}
	f2fs_device_close(vol->cache);
	f2fs_device_close(vol->dev);
	vol->cache = cache;
	vol->dev = layer;
	return 0;
}

static int make_amended_layer(struct f2fs_volume *vol, const struct amends *a, struct f2fs_device **out)
{
	struct device_patch *patches = mem_calloc(vol->ctx, a->bytes.count + a->whole.count, sizeof(*patches));
	size_t count = 0;
	int err;

	if (!patches)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < a->bytes.count; i++) {
		const struct amended_bytes *b = vec_at(&a->bytes, i);
		struct device_patch *patch = &patches[count];

		if (amends_whole(a, b->addr))
			continue;
		patch->offset = ((uint64_t)b->addr << vol->geo.block_bits) + b->offset;
		patch->length = b->length;
		amended_bytes_put(b, patch->bytes);
		count++;
	}
	for (size_t i = 0; i < a->whole.count; i++) {
		const struct amended_block *one = vec_at(&a->whole, i);

		patches[count++] = (struct device_patch){ .offset = (uint64_t)one->addr << vol->geo.block_bits,
							  .length = vol->geo.block_size,
							  .data = one->data };
	}
	err = device_new_patched(vol->dev, patches, count, out);
	mem_free(vol->ctx, patches);
	return err;
}

int volume_show_amends(struct f2fs_volume *vol, const struct amends *amends)
{
	struct f2fs_device *layer;
	int err;

	vol->amends = amends;
	for (unsigned i = 0; i < F2FS_LOG_COUNT; i++)
		if (vol->log_sum_source[i] == F2FS_SUMMARY_FOOTERS) { /* made of what may be amended */
			mem_free(vol->ctx, vol->log_sums[i]);
			vol->log_sums[i] = NULL;
		}
	if (!amends || amends->bytes.count + amends->whole.count == 0)
		return 0;
	err = make_amended_layer(vol, amends, &layer);
	return err ? err : use_device(vol, layer, 0);
}

static int load(struct f2fs_volume *vol, struct f2fs_device *dev, const struct f2fs_open_options *opt,
		unsigned preferred, const struct amends *amends)
{
	int err;

	if (opt->offset) {
		err = device_new_slice(dev, opt->offset, 0, &vol->dev);
		if (err)
			return err;
	} else {
		vol->dev = f2fs_device_ref(dev);
	}
	err = read_again(&vol->dev);
	if (err)
		return err;
	err = opt->mode == F2FS_MODE_RESCUE ? rescue_find_superblock(vol, preferred) :
					     roots_load_superblock(vol, preferred);
	if (err)
		return err;
	vol->checksum_seed = crc_f2fs(0xFFFFFFFFu, sb_uuid(vol->sb), 16);
	if (superblock_device_count(vol->sb) > 1) {
		err = join_devices(vol, opt);
		if (err)
			return err;
	}
	err = check_device_size(vol);
	if (!err)
		err = note_writer(vol);
	if (!err)
		err = zones_load(vol);
	if (err)
		return err;
	err = device_new_cache(vol->dev, opt->cache_bytes ? opt->cache_bytes : VOLUME_CACHE_BYTES, vol->geo.block_size,
			       &vol->cache);
	if (!err)
		err = volume_show_amends(vol, amends);
	if (err)
		return err;
	if (vol->rescue)
		return rescue_load(vol, (unsigned)opt->pack);
	err = roots_load_checkpoint(vol, (unsigned)opt->pack);
	if (!err)
		err = heads_load(vol);
	if (!err)
		err = device_order_check(vol);
	if (!err && opt->pack == 0 && vol->mode == F2FS_MODE_TOLERANT)
		err = half_pack_take(vol);
	return err;
}

/* One reading of the volume: by the copy of the superblock that is preferred when both are valid. */
struct reading {
	const struct f2fs_open_options *options;
	struct f2fs_device *dev;
	unsigned preferred;
	const struct amends *amends;
	bool has_rival; /* set: the other copy says something else */
};

int volume_abandon(struct f2fs_context *ctx, struct f2fs_volume *vol, int err)
{
	const struct f2fs_error_detail detail = ctx->error;

	f2fs_volume_close(vol);
	ctx->error = detail;
	return err;
}

int volume_new(struct f2fs_context *ctx, struct f2fs_volume **out)
{
	struct f2fs_volume *vol = mem_zalloc(ctx, sizeof(*vol));

	if (!vol)
		return F2FS_ERR_NOMEM;
	vol->ctx = ctx;
	vec_init(&vol->notes, ctx, sizeof(char *));
	checkpoint_view_init(&vol->loaded, ctx);
	vol->view = &vol->loaded;
	map32_init(&vol->files.filing.dirs, ctx);
	map32_init(&vol->files.filing.odd, ctx);
	marks_init(&vol->written, ctx);
	marks_init(&vol->dropped, ctx);
	*out = vol;
	return 0;
}

static int open_reading(struct f2fs_context *ctx, struct reading *r, struct f2fs_volume **out)
{
	struct f2fs_volume *vol;
	int err = volume_new(ctx, &vol);

	if (err)
		return err;
	vol->mode = r->options->mode;
	vol->accepts_unread = r->options->accept_unread != 0;
	vol->accepts_foreign = r->options->accept_foreign != 0;
	vol->is_at_start = r->options->offset == 0;
	vol->has_chosen_pack = r->options->pack != 0;
	err = load(vol, r->dev, r->options, r->preferred, r->amends);
	r->has_rival = vol->has_rival;
	if (err)
		return volume_abandon(ctx, vol, err);
	*out = vol;
	return 0;
}

/* Open by a copy, and count what speaks against it; negative: it cannot be opened so. */
static int open_and_doubt(struct f2fs_context *ctx, struct reading *r, unsigned copy, struct f2fs_volume **out)
{
	int doubts;

	r->preferred = copy;
	doubts = open_reading(ctx, r, out);
	if (doubts == 0)
		doubts = superblock_doubts(*out, (*out)->sb_other);
	if (doubts < 0) {
		f2fs_volume_close(*out);
		*out = NULL;
	}
	return doubts;
}

/* Both copies are valid but disagree: see whether copy 1 fits the volume better. */
static int weigh(struct f2fs_context *ctx, struct reading *r, struct f2fs_volume **out)
{
	int doubts[2];

	doubts[0] = open_and_doubt(ctx, r, 0, out);
	if (doubts[0] == 0 || doubts[0] == F2FS_ERR_NOMEM || doubts[0] == F2FS_ERR_CANCELED)
		return doubts[0];
	f2fs_volume_close(*out);
	*out = NULL;
	doubts[1] = open_and_doubt(ctx, r, 1, out);
	if (doubts[1] == F2FS_ERR_NOMEM || doubts[1] == F2FS_ERR_CANCELED)
		return doubts[1];
	if (doubts[1] >= 0 && (doubts[0] < 0 || doubts[1] < doubts[0])) {
		(*out)->is_doubted = true;
		return volume_note(*out,
				   "the superblocks differ, and the volume speaks against copy 0; copy 1 is used");
	}
	f2fs_volume_close(*out);
	*out = NULL;
	r->preferred = 0;
	return open_reading(ctx, r, out);
}

static void tell_notes(struct f2fs_volume *vol)
{
	for (size_t i = 0; i < vol->notes.count; i++)
		log_message(vol->ctx, F2FS_LOG_WARNING, "%s", *(char **)vec_at(&vol->notes, i));
	vol->has_rival = false;
}

int volume_open_amended(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
			const struct amends *amends, struct f2fs_volume **out)
{
	struct f2fs_open_options opt = { 0 };
	struct reading reading = { .options = &opt, .dev = dev, .amends = amends };
	struct f2fs_volume *vol = NULL;
	int err;

	if (options)
		opt = *options;
	if (opt.pack < 0 || opt.pack > 2)
		return error_set(ctx, F2FS_ERR_INVALID, "there is no checkpoint pack %d", opt.pack);
	err = open_reading(ctx, &reading, &vol);
	if (reading.has_rival) {
		f2fs_volume_close(vol);
		vol = NULL;
		err = weigh(ctx, &reading, &vol);
	}
	if (err)
		return volume_abandon(ctx, vol, err);
	if (reading.has_rival)
		tell_notes(vol);
	volume_start_clock(vol);
	error_clear(ctx); /* the notes have the damage worked around */
	*out = vol;
	return 0;
}

int volume_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		struct f2fs_volume **out)
{
	return volume_open_amended(ctx, dev, options, NULL, out);
}

int volume_overlay(struct f2fs_volume *vol, uint64_t cache_bytes, const char *spill_dir)
{
	struct f2fs_device *overlay;
	int err = device_new_overlay(vol->dev, 0, spill_dir, &overlay);

	if (!err)
		err = use_device(vol, overlay, cache_bytes);
	vol->is_overlaid |= !err;
	return err;
}

/* Load a pack in place of the loaded one; 0: the newest. */
static int load_pack(struct f2fs_volume *vol, unsigned pack)
{
	struct checkpoint_view old = vol->loaded;
	int err;

	checkpoint_view_init(&vol->loaded, vol->ctx);
	volume_drop_summaries(vol);
	err = roots_load_checkpoint(vol, pack);
	if (!err)
		err = heads_load(vol);
	if (err) { /* the earlier state can still be read; writing on top of it would undo the new pack */
		const struct checkpoint_view partial = vol->loaded;

		vol->loaded = old;
		old = partial;
		volume_drop_summaries(vol);
		vol->is_outdated = true;
		volume_forget_filing(vol);
	}
	checkpoint_view_fini(&old, vol->ctx);
	if (!err)
		rescue_close(vol); /* the rebuilt parts are on the device now */
	return err;
}

int volume_reload(struct f2fs_volume *vol)
{
	return load_pack(vol, 3 - vol->loaded.pack);
}

int volume_follow(struct f2fs_volume *vol)
{
	const struct f2fs_geometry geo = vol->geo;
	const struct volume_zones zones = vol->zones;
	int err;

	geometry_decode(&vol->geo, vol->sb);
	vol->zones = (struct volume_zones){ 0 };
	device_cache_forget(vol->cache, 0, f2fs_device_info(vol->dev)->size);
	err = zones_load(vol);
	if (!err)
		err = load_pack(vol, 0);
	vol->is_outdated |= err != 0;
	mem_free(vol->ctx, err ? vol->zones.sequential : zones.sequential);
	if (err) {
		vol->geo = geo;
		vol->zones = zones;
		return err;
	}
	vol->barred = (struct volume_barred){ 0 };
	vol->sit_agrees = false;
	vol->generation++;
	return 0;
}

void volume_forget_filing(struct f2fs_volume *vol)
{
	map32_fini(&vol->files.filing.dirs);
	map32_fini(&vol->files.filing.odd);
	mem_free(vol->ctx, vol->files.filing.last);
	vol->files.filing.last = NULL;
}

void volume_forget_options(struct f2fs_volume *vol)
{
	mem_free(vol->ctx, vol->compress_names);
	mem_free(vol->ctx, vol->plain_names);
	vol->compress_names = vol->plain_names = NULL;
	vol->write.compress_names = vol->write.plain_names = NULL;
}

void f2fs_volume_close(struct f2fs_volume *vol)
{
	if (!vol)
		return;
	if (vol->ops.running)
		vol->ops.running->drop(vol);
	if (vol->ops.end_streams) /* it may finish zones */
		vol->ops.end_streams(vol);
	if (vol->as_of)
		vol->ops.end_as_of(vol->as_of);
	beside_close(vol);
	keyring_drop(vol);
	marks_fini(&vol->written);
	marks_fini(&vol->dropped);
	volume_forget_options(vol);
	volume_forget_filing(vol);
	digests_drop(vol->ctx, &vol->files.digests);
	for (size_t i = 0; i < vol->notes.count; i++)
		mem_free(vol->ctx, *(char **)vec_at(&vol->notes, i));
	vec_fini(&vol->notes);
	volume_unload_pack(vol);
	rescue_close(vol);
	mem_free(vol->ctx, vol->peek_block);
	mem_free(vol->ctx, vol->zones.sequential);
	mem_free(vol->ctx, vol->gc.options);
	f2fs_device_close(vol->cache);
	f2fs_device_close(vol->dev);
	mem_free(vol->ctx, vol);
}
