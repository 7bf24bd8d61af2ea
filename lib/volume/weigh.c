/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Weighing two superblocks. Both are valid, and the kernel takes the first; but a bit that flipped in it may lead past
 * all files. The volume is opened by each, and what does not fit counts: features that the inodes show otherwise, a
 * seed that does not give their checksums, quota files that are none, areas that end elsewhere, and whatever opening
 * noted.
 */
#include <string.h>

#include "device/device.h"
#include "volume/rescue_features.h"
#include "volume/weigh.h"

#define ENOUGH_INODES 2000u

static int count_bits(uint32_t bits)
{
	int n = 0;

	for (; bits; bits &= bits - 1)
		n++;
	return n;
}

static int doubt_layout(const struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = &vol->geo;
	const uint64_t zone = (uint64_t)geo->segs_per_sec * geo->secs_per_zone * F2FS_SEGMENT_BLOCKS;
	const uint64_t main_end = geo->main_blkaddr + (uint64_t)geo->segment_count_main * F2FS_SEGMENT_BLOCKS;

	return (main_end != geo->end_blkaddr) +
	       (geo->block_count > f2fs_device_info(vol->dev)->size >> geo->block_bits) +
	       ((geo->main_blkaddr - geo->segment0_blkaddr) % zone != 0);
}

static int doubt_features(const struct f2fs_volume *vol, const struct features_seen *seen, const uint8_t *other)
{
	const uint32_t feature = vol->geo.feature;
	uint32_t seed;
	int doubts = count_bits(seen->shown & ~feature) + count_bits(seen->denied & feature) +
		     count_bits(feature & ~FEATURES_KNOWN);

	if ((feature & F2FS_FEAT_INODE_CHECKSUM) && evidence_seed(&seen->inodes, &seed))
		doubts += seed != vol->checksum_seed;
	for (unsigned type = 0; type < sb_COUNT_qf_ino && (feature & F2FS_FEAT_QUOTA); type++)
		doubts += sb_qf_ino(vol->sb, type) != seen->quota[type];
	doubts += (sb_s_encoding(vol->sb) != 0) != ((feature & F2FS_FEAT_CASEFOLD) != 0);
	doubts += (feature & FEATURES_NEED_EXTRA) && !(feature & F2FS_FEAT_EXTRA_ATTR);
	/* an inode whose checksum is right proves more than an inode without a checksum */
	doubts += !(feature & F2FS_FEAT_SB_CHECKSUM) && (sb_feature(other) & F2FS_FEAT_SB_CHECKSUM);
	return doubts;
}

int superblock_doubts(struct f2fs_volume *vol, const uint8_t *other)
{
	struct features_seen seen;
	int err = features_look(vol, ENOUGH_INODES, &seen);

	if (err)
		return err;
	return (int)vol->notes.count + (seen.inodes.inodes == 0) + doubt_layout(vol) +
	       doubt_features(vol, &seen, other);
}

bool superblocks_disagree(const uint8_t *a, const uint8_t *b)
{
	/* everything but the label, the extension lists, the version strings and the error counters */
	static const struct {
		uint16_t from, end;
	} parts[] = {
		{ sb_OFS_magic, sb_OFS_volume_name },
		{ sb_OFS_cp_payload, sb_OFS_version },
		{ sb_OFS_feature, sb_OFS_encryption_level },
		{ sb_OFS_devs, sb_OFS_hot_ext_count },
		{ sb_OFS_s_encoding, sb_OFS_s_stop_reason },
	};

	for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (memcmp(a + parts[i].from, b + parts[i].from, parts[i].end - parts[i].from) != 0)
			return true;
	return false;
}
