/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fields by address: the handle, reading, and writing with the checksum that belongs to the structure. The volume is
 * opened for finding things only, and opened again after each change, so that the change counts at once.
 */
#include <string.h>

#include "base/crc.h"
#include "base/error.h"
#include "base/sized.h"
#include "device/device.h"
#include "format/inode.h"
#include "format/superblock.h"
#include "inject/address.h"
#include "inject/place.h"
#include "inject/run.h"
#include "inject/value.h"
#include "volume/foreign_check.h"
#include "volume/roots.h"

/* ---- the handle ---- */

static void close_volume(struct f2fs_inject *inject)
{
	f2fs_volume_close(inject->vol);
	inject->vol = NULL;
	f2fs_device_close(inject->dev);
	inject->dev = NULL;
}

/* Without the volume: the geometry of a valid superblock, if there is one. */
static int read_geometry(struct f2fs_inject *inject)
{
	static const uint32_t places[] = { 0, 4096, 16384 };
	uint8_t sb[sb_SIZE];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !inject->has_geo; i++) {
		if (f2fs_device_read(inject->dev, places[i] + SB_OFFSET, sb, sizeof(sb)) != 0)
			continue;
		if (superblock_check(sb) || (places[i] && 1U << sb_log_blocksize(sb) != places[i]))
			continue;
		geometry_decode(&inject->geo, sb);
		inject->checksum_seed = crc_f2fs(0xFFFFFFFFu, sb_uuid(sb), 16);
		inject->has_geo = true;
	}
	error_clear(inject->ctx);
	return 0;
}

/* Open the volume as far as possible. */
static int open_volume(struct f2fs_inject *inject)
{
	int err;

	inject->has_geo = false;
	memset(&inject->refusal, 0, sizeof(inject->refusal));
	err = f2fs_volume_open(inject->ctx, inject->given, &inject->options, &inject->vol);
	if (!err) {
		inject->dev = f2fs_device_ref(inject->vol->dev);
		inject->geo = inject->vol->geo;
		inject->checksum_seed = inject->vol->checksum_seed;
		inject->has_geo = true;
		return 0;
	}
	if (err == F2FS_ERR_NOMEM)
		return err;
	inject->vol = NULL;
	inject->refusal = inject->ctx->error;
	if (inject->options.offset) {
		err = f2fs_device_open_slice(inject->given, inject->options.offset, 0, &inject->dev);
		if (err)
			return err;
	} else {
		inject->dev = f2fs_device_ref(inject->given);
	}
	return read_geometry(inject);
}

static int keep_options(struct f2fs_inject *inject, const struct f2fs_open_options *options)
{
	struct f2fs_open_options *own = &inject->options;
	int err = sized_take(inject->ctx, own, sizeof(*own), options);

	if (err || !own->device_count)
		return err;
	inject->devices = mem_calloc(inject->ctx, own->device_count, sizeof(struct f2fs_device *));
	if (!inject->devices)
		return F2FS_ERR_NOMEM;
	for (unsigned i = 0; i < own->device_count; i++)
		inject->devices[i] = f2fs_device_ref(own->devices[i]);
	own->devices = inject->devices;
	return 0;
}

int f2fs_inject_open(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
		     struct f2fs_inject **out)
{
	struct f2fs_inject *inject;
	int err;

	error_clear(ctx);
	inject = mem_zalloc(ctx, sizeof(*inject));
	if (!inject)
		return F2FS_ERR_NOMEM;
	inject->ctx = ctx;
	inject->given = f2fs_device_ref(dev);
	err = keep_options(inject, options);
	if (!err)
		err = open_volume(inject);
	if (err) {
		struct f2fs_error_detail detail = ctx->error;

		f2fs_inject_close(inject);
		ctx->error = detail;
		return err;
	}
	inject->is_foreign = inject->refusal.code == F2FS_ERR_NOT_F2FS;
	error_clear(ctx);
	*out = inject;
	return 0;
}

void f2fs_inject_close(struct f2fs_inject *inject)
{
	if (!inject)
		return;
	close_volume(inject);
	for (unsigned i = 0; inject->devices && i < inject->options.device_count; i++)
		f2fs_device_close(inject->devices[i]);
	mem_free(inject->ctx, inject->devices);
	f2fs_device_close(inject->given);
	mem_free(inject->ctx, inject);
}

int f2fs_inject_volume_error(const struct f2fs_inject *inject, const char **message)
{
	if (message)
		*message = inject->refusal.message;
	return inject->vol ? 0 : inject->refusal.code;
}

/* ---- reading ---- */

static void describe(const struct place *place, const struct spot *spot, const uint8_t *bytes,
		     struct f2fs_inject_value *out)
{
	memset(out, 0, sizeof(*out));
	memcpy(out->structure, spot->structure, sizeof(out->structure));
	out->field = spot->field;
	out->offset = place->at[0];
	out->index = spot->index;
	if (spot->is_bytes) {
		out->size = spot->field.count < sizeof(out->bytes) ? spot->field.count : (uint32_t)sizeof(out->bytes);
		memcpy(out->bytes, bytes + spot->field.offset, out->size);
	} else {
		out->number = spot_get(spot, bytes);
	}
}

/* Find the field and read the structure that holds it. The caller frees the bytes. */
static int find(struct f2fs_inject *inject, const char *text, struct place *place, struct spot *spot, uint8_t **bytes)
{
	struct address address;
	int err;

	error_clear(inject->ctx);
	if (!inject->dev) /* opening it again failed after the last change */
		err = open_volume(inject);
	else
		err = 0;
	if (!err)
		err = address_parse(inject->ctx, text, &address);
	if (!err)
		err = place_find(inject, &address, place);
	if (!err && !strcmp(address.place, "file")) { /* its numbers count from the start of the file */
		static const char *const names[] = { "u8", "u16", "u32", "u64" };

		for (unsigned i = 0; i < 4; i++)
			if (!strcmp(names[i], address.parts[0].name))
				address.parts[0].index &= (place->size >> i) - 1U;
	}
	if (!err)
		err = spot_find(inject->ctx, &address, place, spot);
	if (err)
		return err;
	*bytes = mem_alloc(inject->ctx, place->size);
	if (!*bytes)
		return F2FS_ERR_NOMEM;
	err = f2fs_device_read(inject->dev, place->at[0], *bytes, place->size);
	if (err)
		mem_free(inject->ctx, *bytes);
	return err;
}

int f2fs_inject_get(struct f2fs_inject *inject, const char *address, struct f2fs_inject_value *out)
{
	struct place place;
	struct spot spot;
	uint8_t *bytes;
	int err = find(inject, address, &place, &spot, &bytes);

	if (err)
		return err;
	describe(&place, &spot, bytes, out);
	mem_free(inject->ctx, bytes);
	return 0;
}

/* ---- writing ---- */

/* Make the checksum right, where the structure as it is now has one. */
static void sum_up(const struct f2fs_inject *inject, const struct place *place, uint8_t *bytes)
{
	const uint32_t size = place->size;
	uint32_t at;

	switch (place->sum) {
	case SUM_SUPERBLOCK:
		if (sb_feature(bytes) & F2FS_FEAT_SB_CHECKSUM)
			sb_set_crc(bytes, superblock_crc(bytes));
		break;
	case SUM_CHECKPOINT:
		at = cp_checksum_offset(bytes);
		if (at >= cp_SIZE && at <= size - 4)
			put_le32(bytes + at, checkpoint_crc(bytes, size));
		break;
	case SUM_INODE:
		if (inode_has_checksum(&inject->geo, bytes))
			extra_set_i_inode_checksum(bytes + INODE_ADDR_OFFSET,
						   inode_checksum(&inject->geo, bytes, inject->checksum_seed));
		break;
	default:
		break;
	}
}

/* Change the second copy as the first; bytes is used up. */
static int write_copies(struct f2fs_inject *inject, const struct place *place, const struct spot *spot,
			const char *value, unsigned flags, uint8_t *bytes)
{
	int err = 0;

	for (unsigned i = 0; !err && i < place->copies; i++) {
		if (i > 0)
			err = f2fs_device_read(inject->dev, place->at[i], bytes, place->size);
		if (!err)
			err = spot_put(inject->ctx, spot, value, bytes);
		if (!err && !(flags & F2FS_INJECT_RAW))
			sum_up(inject, place, bytes);
		if (!err && !(flags & F2FS_INJECT_DRY_RUN))
			err = f2fs_device_write(inject->dev, place->at[i], bytes, place->size);
	}
	if (!err && !(flags & F2FS_INJECT_DRY_RUN))
		err = f2fs_device_flush(inject->dev);
	return err;
}

/* Refuse to write to a device that holds no F2FS, or that has a superblock or checkpoint that cannot be read. */
static int check_writable(struct f2fs_inject *inject, unsigned flags)
{
	if (inject->is_foreign && !(flags & F2FS_INJECT_FORCE))
		return error_set(inject->ctx, F2FS_ERR_NOT_F2FS,
				 "neither superblock is one of F2FS, so nothing is written (force writes all the "
				 "same)");
	if (inject->vol)
		return volume_check_roots(inject->vol);
	if (!inject->options.accept_foreign && !inject->is_foreign) {
		struct f2fs_signature found = { F2FS_SIZED(f2fs_signature) };
		const int err = foreign_check(inject->dev, inject->options.offset == 0, &found);

		if (err != F2FS_ERR_NOT_FOUND)
			return err ? err : foreign_refuse(inject->ctx, &found);
	}
	if (inject->refusal.code != F2FS_ERR_IO || inject->options.accept_unread)
		return 0;
	inject->ctx->error = inject->refusal;
	return inject->refusal.code;
}

int f2fs_inject_set(struct f2fs_inject *inject, const char *address, const char *value, unsigned flags,
		    struct f2fs_inject_value *before)
{
	struct f2fs_inject_value old;
	struct place place;
	struct spot spot;
	uint8_t *bytes;
	int err;

	error_clear(inject->ctx);
	err = flags & F2FS_INJECT_DRY_RUN ? 0 : check_writable(inject, flags);
	if (!err)
		err = find(inject, address, &place, &spot, &bytes);
	if (err)
		return err;
	describe(&place, &spot, bytes, &old);
	err = write_copies(inject, &place, &spot, value, flags, bytes);
	mem_free(inject->ctx, bytes);
	if (err)
		return err;
	if (before)
		*before = old;
	if (flags & F2FS_INJECT_DRY_RUN)
		return 0;
	close_volume(inject);
	return open_volume(inject);
}
