/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What a lost superblock said besides the layout, told by the inodes: features by the fields that only they use, quota
 * files by the magic numbers in their first blocks, and the seed of inode checksums by running a checksum backwards.
 * The UUID, from which that seed comes, cannot be found again: one that gives the same seed takes its place, so that
 * the inodes stay valid.
 */
#include <string.h>

#include "base/crc.h"
#include "device/device.h"
#include "format/inode.h"
#include "format/quota.h"
#include "volume/rescue.h"

#define ENOUGH_INODES 20000u
#define SEED_VOTES 16u
#define POLYNOMIAL 0xEDB88320u

struct guess {
	struct f2fs_volume *vol;
	uint8_t *block, *data;
	uint32_t inodes, with_extra, with_crtime, feature;
	uint32_t seeds[SEED_VOTES];
	unsigned seed_count;
	f2fs_nid_t quota[3];
};

/* The checksum before n bytes, given the one behind them. */
static uint32_t crc_backwards(uint32_t crc, const uint8_t *bytes, size_t n)
{
	while (n-- > 0) {
		for (unsigned i = 0; i < 8; i++)
			crc = crc & 0x80000000u ? ((crc ^ POLYNOMIAL) << 1) | 1 : crc << 1;
		crc ^= bytes[n];
	}
	return crc;
}

/* The seed that gives this inode its checksum (FORMAT files 2.6). */
static uint32_t seed_of(const struct f2fs_geometry *geo, const uint8_t *block)
{
	static const uint8_t zero[4];
	const uint32_t at = INODE_ADDR_OFFSET + extra_OFS_i_inode_checksum;
	uint32_t c = extra_i_inode_checksum(inode_extra(block));

	c = crc_backwards(c, block + at + 4, geo->block_size - at - 4);
	c = crc_backwards(c, zero, 4);
	c = crc_backwards(c, block, at);
	c = crc_backwards(c, block + inode_OFS_i_generation, 4);
	return crc_backwards(c, node_footer(geo, block) + footer_OFS_ino, 4);
}

static bool looks_like_inode(const struct f2fs_volume *vol, const uint8_t *block)
{
	const uint8_t *footer = node_footer(&vol->geo, block);

	return geometry_is_nid(&vol->geo, footer_nid(footer)) && footer_nid(footer) == footer_ino(footer) &&
	       node_offset_of(footer) == 0 && inode_dirent_type(inode_i_mode(block)) != 0 &&
	       inode_i_blocks(block) != 0 && inode_i_namelen(block) <= 255;
}

static void look_at_extra(struct guess *g, const uint8_t *block)
{
	const uint8_t *extra = inode_extra(block);
	const uint32_t size = extra_i_extra_isize(extra);

	if (size < 4 || size > extra_SIZE || size % 4)
		return;
	g->with_extra++;
	if (extra_i_inline_xattr_size(extra))
		g->feature |= F2FS_FEATURE_FLEXIBLE_INLINE_XATTR;
	if (size >= extra_OFS_i_projid + 4 && extra_i_projid(extra))
		g->feature |= F2FS_FEATURE_PROJECT_QUOTA;
	g->with_crtime += size >= extra_OFS_i_compr_blocks && extra_i_crtime(extra);
	if (size >= extra_SIZE && (inode_i_flags(block) & FLAG_i_flags_compr))
		g->feature |= F2FS_FEATURE_COMPRESSION;
	if (size >= extra_OFS_i_inode_checksum + 4 && extra_i_inode_checksum(extra)) {
		g->feature |= F2FS_FEATURE_INODE_CHECKSUM;
		if (g->seed_count < SEED_VOTES)
			g->seeds[g->seed_count++] = seed_of(&g->vol->geo, block);
	}
}

static void look_at_quota(struct guess *g, const uint8_t *block)
{
	const struct f2fs_geometry *geo = &g->vol->geo;
	const f2fs_nid_t nid = footer_nid(node_footer(geo, block));
	const f2fs_blk_t addr = get_le32(block + INODE_ADDR_OFFSET +
					 (inode_extra_size(block) <= extra_SIZE ? inode_extra_size(block) : 0));
	enum quota_type type;

	if (nid > 16 || (inode_i_mode(block) & MODE_TYPE) != MODE_REG || !geometry_is_main(geo, addr) ||
	    device_read_quiet(g->vol->dev, (uint64_t)addr << geo->block_bits, g->data, geo->block_size) != 0)
		return;
	if (quota_is_header(g->data, &type)) {
		g->quota[type] = nid;
		g->feature |= F2FS_FEATURE_QUOTA | (type == QUOTA_PROJECT ? F2FS_FEATURE_PROJECT_QUOTA : 0u);
	}
}

static void look_at(struct guess *g, const uint8_t *block)
{
	if (!looks_like_inode(g->vol, block))
		return;
	g->inodes++;
	if (inode_has_inline(block, FLAG_i_inline_extra_attr))
		look_at_extra(g, block);
	if (inode_i_flags(block) & FLAG_i_flags_casefold)
		g->feature |= F2FS_FEATURE_CASEFOLD;
	if (inode_i_advise(block) & FLAG_i_advise_encrypt)
		g->feature |= F2FS_FEATURE_ENCRYPT;
	if (inode_i_advise(block) & FLAG_i_advise_verity)
		g->feature |= F2FS_FEATURE_VERITY;
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
	struct f2fs_nat_entry entry = { 0 };

	for (f2fs_nid_t nid = g->vol->geo.root_ino; g->inodes < ENOUGH_INODES; nid = entry.nid + 1) {
		if (f2fs_nat_next(g->vol, nid, &entry) != 0)
			return;
		if (entry.nid == entry.ino && read_block(g, entry.block_addr) &&
		    footer_nid(node_footer(&g->vol->geo, g->block)) == entry.nid)
			look_at(g, g->block);
	}
}

/* Without a NAT: whatever lies in the main area. */
static void look_everywhere(struct guess *g)
{
	const struct f2fs_geometry *geo = &g->vol->geo;

	for (uint64_t addr = geo->main_blkaddr; addr < geo->end_blkaddr && g->inodes < ENOUGH_INODES;) {
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

/* A seed that two inodes agree on. */
static bool choose_seed(const struct guess *g, uint32_t *seed)
{
	for (unsigned i = 0; i < g->seed_count; i++) {
		unsigned votes = 0;

		for (unsigned j = 0; j < g->seed_count; j++)
			votes += g->seeds[j] == g->seeds[i];
		*seed = g->seeds[i];
		if (votes * 2 > g->seed_count)
			return true;
	}
	return false;
}

/* 16 bytes whose checksum is seed: twelve of a random kind of UUID, four that follow. */
static void make_uuid(uint32_t seed, uint8_t uuid[16])
{
	static const uint8_t head[12] = "rescued\x40\x80\0\0\0";
	static const uint8_t zero[4];

	memcpy(uuid, head, sizeof(head));
	put_le32(uuid + 12, crc_f2fs(0xFFFFFFFFu, uuid, 12) ^ crc_backwards(seed, zero, 4));
}

static int settle(struct guess *g)
{
	struct f2fs_volume *vol = g->vol;
	uint32_t seed = 0;

	if (g->with_extra)
		g->feature |= F2FS_FEATURE_EXTRA_ATTR;
	if (g->with_crtime > g->with_extra / 2) /* some formatting programs set it in the first inodes whatever holds */
		g->feature |= F2FS_FEATURE_INODE_CRTIME;
	vol->geo.feature = g->feature;
	sb_set_feature(vol->sb, g->feature);
	if (g->feature & F2FS_FEATURE_CASEFOLD)
		sb_set_s_encoding(vol->sb, 1);
	for (unsigned type = 0; type < 3; type++)
		sb_set_qf_ino(vol->sb, type, g->quota[type]);
	if (choose_seed(g, &seed)) {
		make_uuid(seed, sb_uuid_w(vol->sb));
		vol->checksum_seed = seed;
		vol->rescue->has_seed = true;
	}
	return volume_note(vol, "%u inodes tell that the volume has the features 0x%x", (unsigned)g->inodes,
			   (unsigned)g->feature);
}

int rescue_guess_features(struct f2fs_volume *vol)
{
	struct guess g = { .vol = vol };

	g.block = mem_alloc(vol->ctx, (size_t)2 << vol->geo.block_bits);
	if (!g.block)
		return F2FS_ERR_NOMEM;
	g.data = g.block + vol->geo.block_size;
	look_by_nat(&g);
	if (g.inodes == 0)
		look_everywhere(&g);
	mem_free(vol->ctx, g.block);
	return settle(&g);
}
