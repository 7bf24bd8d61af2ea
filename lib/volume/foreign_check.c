/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Does the device still belong to this volume? Another system may have been made over it, and a repair of the remains
 * would destroy that.
 *
 * A valid superblock owns its bytes and the areas from segment 0 to the end of the volume: a file may hold any bytes.
 * All other bytes are free in F2FS, so a signature there counts. Two valid superblocks that agree leave no room for
 * another file system or swap space, which need the same bytes: only systems that can exist beside them count then,
 * such as a partition table, LUKS, LVM, RAID, or metadata of verified boot. A boot sector counts only where the first
 * superblock is not valid.
 */
#include <string.h>

#include "base/error.h"
#include "device/signature_find.h"
#include "device/signature_scope.h"
#include "format/superblock.h"
#include "volume/device_order.h"
#include "volume/foreign_check.h"
#include "volume/weigh.h"

#define SB_BYTES (SB_OFFSET + sb_SIZE)

/* Kinds whose signatures can stand beside two whole superblocks. */
#define BESIDE                                                                                                         \
	(1u << F2FS_SIGNATURE_CRYPTO | 1u << F2FS_SIGNATURE_LVM | 1u << F2FS_SIGNATURE_RAID |                         \
	 1u << F2FS_SIGNATURE_PARTITIONS | 1u << F2FS_SIGNATURE_VERIFIED)

static void own(struct foreign_scope *scope, uint64_t start, uint64_t end)
{
	scope->owned[scope->owned_count++] = (struct foreign_range){ start, end };
}

/* Copy a superblock out of the device's first bytes; false when it is not valid. */
static bool get_copy(struct f2fs_device *dev, const struct foreign_scope *scope, uint64_t block, uint8_t sb[sb_SIZE])
{
	foreign_read(dev, scope, block + SB_OFFSET, sb, sb_SIZE);
	return superblock_check(sb) == RULE_NONE;
}

/* The second copy is in block 1, whose size the first one states, if it can be believed. */
static bool get_second(struct f2fs_device *dev, const struct foreign_scope *scope, const uint8_t *first,
		       uint8_t sb[sb_SIZE], uint64_t *at)
{
	static const uint32_t sizes[] = { 4096, 16384 };

	for (unsigned i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		*at = sizes[i];
		if (first && 1u << sb_log_blocksize(first) != sizes[i])
			continue;
		if (get_copy(dev, scope, *at, sb) && 1u << sb_log_blocksize(sb) == sizes[i])
			return true;
	}
	return false;
}

/* Collect the bytes that the valid superblocks own, and the signatures that count beside them. */
static void take_owned(struct f2fs_device *dev, struct foreign_scope *scope)
{
	uint8_t sb[2][sb_SIZE];
	uint64_t second;
	const bool has_first = get_copy(dev, scope, 0, sb[0]);
	const bool has_second = get_second(dev, scope, has_first ? sb[0] : NULL, sb[1], &second);

	if (has_first)
		own(scope, SB_OFFSET, SB_BYTES);
	if (has_second)
		own(scope, second + SB_OFFSET, second + SB_BYTES);
	if (has_first || has_second) {
		const uint8_t *valid = sb[has_first ? 0 : 1];
		struct f2fs_geometry geo;

		geometry_decode(&geo, valid);
		own(scope, (uint64_t)sb_segment0_blkaddr(valid) * geo.block_size, geo.end_blkaddr * geo.block_size);
		scope->ends[0] = geo.end_blkaddr * geo.block_size;
		scope->ends[1] = sb_block_count(valid) * geo.block_size;
	}
	scope->with_boot_sectors = !has_first;
	if (has_first && has_second && !superblocks_disagree(sb[0], sb[1]))
		scope->kinds = BESIDE;
}

int foreign_check(struct f2fs_device *dev, bool is_at_start, struct f2fs_signature *out)
{
	struct foreign_scope scope = { .kinds = FOREIGN_ALL_KINDS, .with_tail = is_at_start };
	int err = foreign_load_head(dev, &scope);

	if (err)
		return err;
	take_owned(dev, &scope);
	err = foreign_find(dev, &scope, out);
	foreign_drop_head(dev, &scope);
	return err;
}

/* A further device does not begin with a superblock: the volume that does is another one. */
static int foreign_check_strange(struct f2fs_device *dev, struct f2fs_signature *out)
{
	struct foreign_scope scope = { .kinds = FOREIGN_ALL_KINDS, .with_f2fs = true };
	int err = foreign_load_head(dev, &scope);

	if (err)
		return err;
	err = foreign_find(dev, &scope, out);
	foreign_drop_head(dev, &scope);
	return err;
}

/* A further device that has none of the volume's nodes, and has a signature: somebody else's. */
static int find_on_strange_devices(struct f2fs_volume *vol, struct f2fs_signature *out)
{
	int err = F2FS_ERR_NOT_FOUND;

	for (unsigned i = 1; vol->strange_devices >> i && err == F2FS_ERR_NOT_FOUND; i++) {
		struct f2fs_device *dev;

		if (!(vol->strange_devices & 1u << i))
			continue;
		err = device_order_open(vol, i, &dev);
		if (err)
			return err;
		err = foreign_check_strange(dev, out);
		f2fs_device_close(dev);
	}
	return err;
}

int volume_find_foreign(struct f2fs_volume *vol, struct f2fs_signature *out)
{
	int err = foreign_check(vol->dev, vol->is_at_start, out);

	return err == F2FS_ERR_NOT_FOUND ? find_on_strange_devices(vol, out) : err;
}

int foreign_refuse(struct f2fs_context *ctx, const struct f2fs_signature *found)
{
	const struct error_where where = { .structure = "foreign", .offset_plus1 = found->offset + 1 };

	return error_at(ctx, F2FS_ERR_FOREIGN, &where,
			"%s is at byte %llu: refusing to write over it (use --accept-foreign to write all the same)",
			found->what, (unsigned long long)found->offset);
}

int volume_check_foreign(struct f2fs_volume *vol)
{
	struct f2fs_signature found = { F2FS_SIZED(f2fs_signature) };
	int err;

	if (vol->accepts_foreign || vol->is_ours || vol->is_overlaid)
		return 0;
	err = volume_find_foreign(vol, &found);
	if (err == 0)
		return foreign_refuse(vol->ctx, &found);
	vol->is_ours = err == F2FS_ERR_NOT_FOUND;
	return vol->is_ours ? 0 : err;
}
