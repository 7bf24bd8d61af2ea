/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn on features after a volume was made. Nothing that exists has to change for these: each only allows new kinds of
 * files.
 */
#include <f2fskit/label.h>
#include <string.h>

#include "base/error.h"
#include "format/superblock.h"
#include "tune/superblocks.h"

enum { ADDABLE = F2FS_FEAT_ENCRYPT | F2FS_FEAT_VERITY | F2FS_FEAT_CASEFOLD, ENCODING_UTF8 = 1 };

static int check_change(struct f2fs_volume *vol)
{
	int err = superblock_writable(vol);

	if (!err && vol->txn)
		err = error_set(vol->ctx, F2FS_ERR_STATE, "there are changes that wait for a commit");
	return err;
}

int f2fs_volume_add_features(struct f2fs_volume *vol, uint32_t features, unsigned encoding_flags)
{
	const uint32_t missing = features & ~vol->geo.feature;
	uint8_t sb[sb_SIZE];
	int err;

	error_clear(vol->ctx);
	err = check_change(vol);
	if (!err && (missing & ~(uint32_t)ADDABLE))
		err = error_set(
			vol->ctx, F2FS_ERR_UNSUPPORTED,
			"a volume has this feature from the start or never; encrypt, verity and casefold can be "
			"turned on later");
	if (!err && (encoding_flags & ~(unsigned)(FLAG_s_encoding_flags_strict | FLAG_s_encoding_flags_hashonly)))
		err = error_set(vol->ctx, F2FS_ERR_INVALID, "unknown flags of an encoding");
	if (err || !missing)
		return err;
	memcpy(sb, vol->sb, sizeof(sb));
	sb_set_feature(sb, sb_feature(sb) | missing);
	if (missing & F2FS_FEAT_CASEFOLD) {
		sb_set_s_encoding(sb, ENCODING_UTF8);
		sb_set_s_encoding_flags(sb, (uint16_t)encoding_flags);
	}
	err = superblock_replace(vol, sb);
	if (!err)
		vol->geo.feature |= missing;
	return err;
}

int f2fs_volume_set_hash_only(struct f2fs_volume *vol, int on)
{
	uint8_t sb[sb_SIZE];
	uint32_t flags;
	int err;

	error_clear(vol->ctx);
	err = check_change(vol);
	if (!err && !geometry_has(&vol->geo, F2FS_FEAT_CASEFOLD))
		err = error_set(vol->ctx, F2FS_ERR_STATE, "the volume does not have the feature casefold");
	if (err)
		return err;
	memcpy(sb, vol->sb, sizeof(sb));
	flags = sb_s_encoding_flags(sb) & ~(uint32_t)FLAG_s_encoding_flags_hashonly;
	if (on)
		flags |= FLAG_s_encoding_flags_hashonly;
	if (flags == sb_s_encoding_flags(sb))
		return 0;
	sb_set_s_encoding_flags(sb, (uint16_t)flags);
	return superblock_replace(vol, sb);
}
