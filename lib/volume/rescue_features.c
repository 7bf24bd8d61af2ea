/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the contents of a superblock besides the layout from the inodes (format/evidence.h): features by the fields that
 * only they use, quota files by the magic numbers in their first blocks, and the seed of inode checksums by running a
 * checksum backwards. Used when a superblock is lost, and when two copies differ (weigh.c). The UUID, from which that
 * seed comes, cannot be found again: one that gives the same seed takes its place, so that the inodes stay valid.
 */
#include <string.h>

#include "base/crc.h"
#include "base/text.h"
#include "base/error.h"
#include "device/device.h"
#include "format/evidence.h"
#include "format/inode.h"
#include "format/quota.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"
#include "volume/rescue.h"
#include "volume/rescue_features.h"
#include "volume/weigh.h"

#define ENOUGH_INODES 20000u
#define QUOTA_LAST_NID 16u /* formatting gives them the first ones */
#define FEATURES_OF_FILES                                                                                              \
	(F2FS_FEAT_ENCRYPT | F2FS_FEAT_VERITY | F2FS_FEAT_CASEFOLD | F2FS_FEAT_COMPRESSION | F2FS_FEAT_DEVICE_ALIAS |  \
	 F2FS_FEAT_PROJECT_QUOTA)

struct guess {
	struct f2fs_volume *vol;
	struct features_seen *seen;
	uint32_t enough;
	uint8_t *block, *data;
};

/* Unchangeable and in no directory, as are quota files that were made on a volume with files. */
static bool is_hidden(const uint8_t *block)
{
	return inode_i_pino(block) == 0 && inode_i_namelen(block) == 0 &&
	       (inode_i_flags(block) & FLAG_i_flags_immutable);
}

static void look_at_quota(struct guess *g, const uint8_t *block)
{
	const struct f2fs_geometry *geo = &g->vol->geo;
	const f2fs_nid_t nid = footer_nid(node_footer(geo, block));
	const f2fs_blk_t addr = get_le32(block + INODE_ADDR_OFFSET +
					 (inode_extra_size(block) <= extra_SIZE ? inode_extra_size(block) : 0));
	enum quota_type type;

	if ((nid > QUOTA_LAST_NID && !is_hidden(block)) || (inode_i_mode(block) & MODE_TYPE) != MODE_REG ||
	    !geometry_is_main(geo, addr) ||
	    device_read_quiet(g->vol->dev, (uint64_t)addr << geo->block_bits, g->data, geo->block_size) != 0)
		return;
	if (quota_is_header(g->data, &type))
		g->seen->quota[type] = nid;
}

static void look_at(struct guess *g, const uint8_t *block)
{
	const uint32_t before = g->seen->inodes.inodes;

	evidence_add(&g->seen->inodes, &g->vol->geo, block);
	if (g->seen->inodes.inodes != before)
		look_at_quota(g, block);
}

static bool read_block(struct guess *g, f2fs_blk_t addr)
{
	const struct f2fs_geometry *geo = &g->vol->geo;

	return geometry_is_main(geo, addr) &&
	       device_read_quiet(g->vol->dev, (uint64_t)addr << geo->block_bits, g->block, geo->block_size) == 0;
}

/* The inodes that the NAT knows. */
static void look_by_nat(struct guess *g)
{
	struct f2fs_nat_info entry = { 0 };

	for (f2fs_nid_t nid = g->vol->geo.root_ino; g->seen->inodes.inodes < g->enough; nid = entry.nid + 1) {
		if (nat_next(g->vol, nid, &entry) != 0)
			return;
		if (entry.nid == entry.ino && read_block(g, entry.block_addr) &&
		    footer_nid(node_footer(&g->vol->geo, g->block)) == entry.nid)
			look_at(g, g->block);
	}
}

/* Without a NAT: take any inode of the main area. */
static void look_everywhere(struct guess *g)
{
	const struct f2fs_geometry *geo = &g->vol->geo;

	for (uint64_t addr = geo->main_blkaddr; addr < geo->end_blkaddr && g->seen->inodes.inodes < g->enough;) {
		uint64_t length;
		int is_hole;

		if (device_extent_quiet(g->vol->dev, addr << geo->block_bits, &length, &is_hole) == 0 && is_hole &&
		    length >> geo->block_bits) {
			addr += length >> geo->block_bits;
			continue;
		}
		if (read_block(g, (f2fs_blk_t)addr))
			look_at(g, g->block);
		addr++;
	}
}

/* Make 16 bytes whose checksum is seed: twelve like those of a random UUID, and four computed from them. */
static void make_uuid(uint32_t seed, uint8_t uuid[16])
{
	static const uint8_t head[12] = "rescued\x40\x80\0\0\0";
	static const uint8_t zero[4];

	memcpy(uuid, head, sizeof(head));
	put_le32(uuid + 12, crc_f2fs(0xFFFFFFFFu, uuid, 12) ^ evidence_crc_backwards(seed, zero, 4));
}

/* The files that the superblock names, also above the first numbers. */
static void look_at_named(struct guess *g)
{
	struct f2fs_nat_info entry;

	for (unsigned type = 0; type < sb_COUNT_qf_ino; type++) {
		const f2fs_nid_t nid = sb_qf_ino(g->vol->sb, type);

		if (nid > QUOTA_LAST_NID && geometry_is_nid(&g->vol->geo, nid) &&
		    nat_get(g->vol, nid, &entry) == 0 && entry.ino == nid && read_block(g, entry.block_addr) &&
		    footer_nid(node_footer(&g->vol->geo, g->block)) == nid)
			look_at_quota(g, g->block);
	}
}

int features_look(struct f2fs_volume *vol, uint32_t enough, struct features_seen *seen)
{
	struct guess g = { .vol = vol, .seen = seen, .enough = enough };

	memset(seen, 0, sizeof(*seen));
	g.block = mem_alloc(vol->ctx, (size_t)2 << vol->geo.block_bits);
	if (!g.block)
		return F2FS_ERR_NOMEM;
	g.data = g.block + vol->geo.block_size;
	look_by_nat(&g);
	if (seen->inodes.inodes == 0)
		look_everywhere(&g);
	look_at_named(&g);
	mem_free(vol->ctx, g.block);
	error_clear(vol->ctx); /* the NAT ends, or cannot be read any further */
	if (sb_s_encoding(vol->sb))
		evidence_confirm(&seen->inodes, F2FS_FEAT_CASEFOLD);
	if (vol->rescue && !vol->rescue->has_features) /* few inodes show these features, but none denies them */
		evidence_confirm(&seen->inodes, FEATURES_OF_FILES);
	seen->shown = evidence_shown(&seen->inodes);
	seen->denied = evidence_denied(&seen->inodes) | checkpoint_denied(vol->view->cp);
	for (unsigned type = 0; type < sb_COUNT_qf_ino; type++)
		if (seen->quota[type])
			seen->shown |=
				F2FS_FEAT_QUOTA | (type == QUOTA_PROJECT ? (uint32_t)F2FS_FEAT_PROJECT_QUOTA : 0u);
	return 0;
}

int quota_files_look(struct f2fs_volume *vol, struct features_seen *seen)
{
	return features_look(vol, QUOTA_LAST_NID, seen);
}

int features_of_quota(struct f2fs_volume *vol, uint32_t *feature)
{
	struct features_seen seen;
	int err;

	*feature = 0;
	if (!sb_qf_ino(vol->sb, 0) && !sb_qf_ino(vol->sb, 1) && !sb_qf_ino(vol->sb, 2))
		return 0;
	err = quota_files_look(vol, &seen);
	for (unsigned type = 0; type < sb_COUNT_qf_ino && !err; type++)
		if (seen.quota[type] && seen.quota[type] == sb_qf_ino(vol->sb, type))
			*feature |= F2FS_FEAT_QUOTA;
	return err;
}

/* Add "the features extra_attr compression", or "no features". */
static void name_features(uint32_t features, struct text *text)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	text_add(text, features ? "the features" : "no features");
	for (unsigned i = 0; i < count; i++)
		if (features & flags[i].mask)
			text_printf(text, " %s", flags[i].name);
}

int rescue_guess_features(struct f2fs_volume *vol)
{
	struct features_seen seen;
	uint32_t seed = 0;
	char buffer[200];
	struct text names;
	int err = features_look(vol, ENOUGH_INODES, &seen);

	if (err)
		return err;
	/* no inode shows this one: the device does */
	if (f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_ZONED)
		seen.shown |= F2FS_FEAT_BLKZONED;
	vol->geo.feature = seen.shown;
	sb_set_feature(vol->sb, seen.shown);
	if (seen.shown & F2FS_FEAT_CASEFOLD)
		sb_set_s_encoding(vol->sb, 1);
	for (unsigned type = 0; type < sb_COUNT_qf_ino; type++)
		sb_set_qf_ino(vol->sb, type, seen.quota[type]);
	if (!vol->rescue->has_seed && evidence_seed(&seen.inodes, &seed)) {
		make_uuid(seed, sb_uuid_w(vol->sb));
		vol->checksum_seed = seed;
		vol->rescue->has_seed = true;
	}
	text_init(&names, buffer, sizeof(buffer));
	name_features(seen.shown, &names);
	return volume_note(vol, "%u inodes show that the volume has %s", (unsigned)seen.inodes.inodes, names.buf);
}
