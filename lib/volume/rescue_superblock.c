/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rebuild the superblock of a volume without a valid copy. In this order: a copy that only lacks its magic number or
 * its checksum; the valid mixture of two copies that are wrong in different numbers; the layout of a checkpoint pack,
 * which is found by its own checksum: it has the sizes of SIT, NAT and main area, and the logs show where the main area
 * starts, because their last node names the block after it; the layout that formatting such a device with the usual
 * options gives, when a NAT block is where it should be, and no pack is that of a larger volume.
 */
#include <string.h>

#include "base/checked.h"
#include "device/device.h"
#include "format/evidence.h"
#include "format/node.h"
#include "format/plan.h"
#include "format/superblock.h"
#include "volume/block_read.h"
#include "volume/rescue.h"
#include "volume/rescue_superblock.h"

#define SEG F2FS_SEGMENT_BLOCKS
/* A volume starts at the end of its first whole zone: no layout that is in use puts segment 0 further away. */
#define SEGMENT0_LIMIT (256u << 20)
#define MAX_BLOCK 16384u
/* Two copies that differ in more words are not damaged copies of one superblock. */
#define MOST_MIXED 8
#define WORD 4u

static bool read_quiet(const struct f2fs_volume *vol, uint64_t offset, void *buffer, size_t length)
{
	return device_read_quiet(vol->dev, offset, buffer, length) == 0;
}

static const uint32_t places[] = { 0, 4096, 16384 };

static bool read_copy(const struct f2fs_volume *vol, unsigned i, uint8_t *sb)
{
	if (!read_quiet(vol, places[i] + SB_OFFSET, sb, sb_SIZE))
		return false;
	sb_set_magic(sb, F2FS_MAGIC);
	return true;
}

/* Take a superblock whose numbers are all good, but for the checksum; and its features, if they are asked. */
static bool take(struct f2fs_volume *vol, unsigned place, const uint8_t *copy, bool with_features)
{
	const uint32_t feature = sb_feature(copy);
	uint8_t sb[sb_SIZE];

	if (with_features && (feature & ~FEATURES_KNOWN))
		return false;
	memcpy(sb, copy, sizeof(sb));
	sb_set_feature(sb, with_features ? feature & ~(uint32_t)F2FS_FEAT_SB_CHECKSUM : 0);
	if (superblock_check(sb) != RULE_NONE || (places[place] && 1u << sb_log_blocksize(sb) != places[place]))
		return false;
	sb_set_feature(sb, with_features ? feature : 0);
	memcpy(vol->sb, sb, sizeof(sb));
	vol->sb_copy = place != 0;
	return true;
}

static bool find_copy(struct f2fs_volume *vol, bool with_features)
{
	uint8_t sb[sb_SIZE];

	for (unsigned i = 0; i < 3; i++)
		if (read_copy(vol, i, sb) && take(vol, i, sb, with_features))
			return true;
	return false;
}

/* List the words in which two copies differ. Return their number; more than MOST_MIXED: too many. */
static unsigned differing_words(const uint8_t *first, const uint8_t *second, unsigned *words)
{
	unsigned count = 0;

	for (unsigned at = 0; at < sb_SIZE && count <= MOST_MIXED; at += WORD)
		if (memcmp(first + at, second + at, WORD) != 0) {
			if (count < MOST_MIXED)
				words[count] = at;
			count++;
		}
	return count;
}

/* Take the first valid mixture that has so many words of the second copy. */
static bool take_mixture(struct f2fs_volume *vol, unsigned place, const uint8_t *first, const uint8_t *second,
			 unsigned of_second)
{
	unsigned words[MOST_MIXED];
	const unsigned count = differing_words(first, second, words);
	uint8_t sb[sb_SIZE];

	for (unsigned chosen = 1; chosen < 1u << count; chosen++) {
		unsigned taken = 0;

		memcpy(sb, first, sizeof(sb));
		for (unsigned i = 0; i < count; i++)
			if (chosen >> i & 1) {
				memcpy(sb + words[i], second + words[i], WORD);
				taken++;
			}
		if (taken == of_second && take(vol, place, sb, true))
			return true;
	}
	return false;
}

/* Both copies are wrong, in different numbers: take the valid mixture with the fewest words of the second copy. */
static bool find_mixture(struct f2fs_volume *vol)
{
	uint8_t first[sb_SIZE], second[sb_SIZE];
	unsigned words[MOST_MIXED], count;

	if (!read_copy(vol, 0, first))
		return false;
	for (unsigned place = 1; place < 3; place++) {
		if (!read_copy(vol, place, second))
			continue;
		count = differing_words(first, second, words);
		for (unsigned of_second = 1; count <= MOST_MIXED && of_second < count; of_second++)
			if (take_mixture(vol, place, first, second, of_second))
				return true;
	}
	return false;
}

/* ---- from a checkpoint pack */

/* Read the first block of a pack and see whether it can be one of a volume on this device. */
static bool read_pack(struct f2fs_volume *vol, uint32_t bs, f2fs_blk_t addr, uint8_t *cp)
{
	const uint32_t sit = 64, blocks = SEG;

	if (!read_quiet(vol, (uint64_t)addr * bs, cp, bs) || checkpoint_check_block(cp, bs) != RULE_NONE)
		return false;
	if (cp_sit_ver_bitmap_bytesize(cp) == 0 || cp_sit_ver_bitmap_bytesize(cp) % sit ||
	    cp_nat_ver_bitmap_bytesize(cp) == 0 || cp_nat_ver_bitmap_bytesize(cp) % sit)
		return false;
	return cp_user_block_count(cp) != 0 && cp_user_block_count(cp) % blocks == 0 &&
	       cp_user_block_count(cp) / blocks < MAX_SEGMENTS && cp_overprov_segment_count(cp) < MAX_SEGMENTS;
}

/* Payload blocks: what comes before the summaries, less the orphans, which are seldom there. */
static uint32_t payload_of(const uint8_t *cp, uint32_t bs)
{
	const uint32_t sit = cp_sit_ver_bitmap_bytesize(cp), nat = cp_nat_ver_bitmap_bytesize(cp);
	const uint32_t room = bs - 4 - cp_SIZE, flags = cp_ckpt_flags(cp);

	if (!(flags & FLAG_ckpt_flags_orphan_inodes))
		return cp_cp_pack_start_sum(cp) - 1;
	if (flags & FLAG_ckpt_flags_large_nat_bitmap)
		return sit + nat > room ? div_ceil32(sit + nat - room, bs) : 0;
	return sit > room - 64 ? div_ceil32(sit, bs) : 0;
}

static void start_geometry(struct f2fs_geometry *geo, const uint8_t *cp, uint32_t bits, f2fs_blk_t segment0)
{
	memset(geo, 0, sizeof(*geo));
	geometry_set_block_size(geo, bits, 0);
	geo->sector_size = 512;
	geo->segs_per_sec = geo->secs_per_zone = 1;
	geo->root_ino = ROOT_INO;
	geo->cp_payload = payload_of(cp, 1u << bits);
	geo->segment0_blkaddr = geo->cp_blkaddr = segment0;
	geo->segment_count_ckpt = 2;
	geo->segment_count_sit = cp_sit_ver_bitmap_bytesize(cp) / 64 * 2;
	geo->segment_count_nat = cp_nat_ver_bitmap_bytesize(cp) / 64 * 2;
	geo->segment_count_main = (uint32_t)(cp_user_block_count(cp) / SEG) + cp_overprov_segment_count(cp);
	geo->section_count = geo->segment_count_main;
	geo->sit_blkaddr = segment0 + 2 * SEG;
	geo->nat_blkaddr = geo->sit_blkaddr + geo->segment_count_sit * SEG;
	geo->ssa_blkaddr = geo->nat_blkaddr + geo->segment_count_nat * SEG;
}

static void set_main(struct f2fs_geometry *geo, uint32_t ssa_segments)
{
	geo->segment_count_ssa = ssa_segments;
	geo->main_blkaddr = geo->ssa_blkaddr + ssa_segments * SEG;
	geo->segment_count = (geo->main_blkaddr - geo->segment0_blkaddr) / SEG + geo->segment_count_main;
	geometry_derive(geo);
}

/* How many logs end with a node that names the log's next block? Negative: nodes are there that say otherwise. */
static int count_witnesses(struct f2fs_volume *vol, const struct f2fs_geometry *geo, const uint8_t *cp, uint8_t *block)
{
	int score = 0;

	for (unsigned t = F2FS_HOT_NODE; t < F2FS_LOG_COUNT; t++) {
		const uint32_t next = checkpoint_log_blkoff(cp, t);
		const f2fs_blk_t at = geometry_segment_start(geo, checkpoint_log_segno(cp, t)) + next;
		const uint8_t *footer = node_footer(geo, block);

		if (next == 0 || checkpoint_log_segno(cp, t) >= geo->segment_count_main ||
		    !read_quiet(vol, (uint64_t)(at - 1) << geo->block_bits, block, geo->block_size))
			continue;
		if (footer_next_blkaddr(footer) == at && geometry_is_nid(geo, footer_nid(footer)))
			score += 2;
		else
			score--;
	}
	return score;
}

/* Find the start of the main area. */
static bool find_main(struct f2fs_volume *vol, struct f2fs_geometry *geo, const uint8_t *cp, uint8_t *block)
{
	const uint64_t blocks = f2fs_device_info(vol->dev)->size >> geo->block_bits;
	const uint64_t area = (uint64_t)geo->ssa_blkaddr + (uint64_t)geo->segment_count_main * SEG;
	uint32_t least = div_ceil32(geo->segment_count_main, SEG), most, best = 0;
	int best_score = 0;

	if (geo->segment_count_main == 0 || area > blocks)
		return false;
	most = (uint32_t)((blocks - area) / SEG);
	if (most > 2 * least + 4096)
		most = 2 * least + 4096;
	for (uint32_t n = cp_rsvd_segment_count(cp) ? least : 0; n <= most; n++) {
		int score;

		set_main(geo, n);
		score = count_witnesses(vol, geo, cp, block);
		if (score > best_score) {
			best_score = score;
			best = n;
		}
	}
	if (best_score > 0)
		set_main(geo, best);
	return best_score > 0;
}

/* On a zoned device a section is a zone of it. */
static bool take_zones(const struct f2fs_device_info *info, struct f2fs_geometry *geo)
{
	const uint64_t segment = (uint64_t)F2FS_SEGMENT_BLOCKS << geo->block_bits, sps = info->zone_bytes / segment;

	if (!(info->caps & F2FS_DEVICE_ZONED) || sps == 0 || info->zone_bytes % segment != 0 ||
	    ((uint64_t)geo->main_blkaddr << geo->block_bits) % info->zone_bytes != 0 ||
	    geo->segment_count_main % sps != 0)
		return false;
	geo->segs_per_sec = (uint32_t)sps;
	geo->secs_per_zone = 1;
	geo->section_count = geo->segment_count_main / (uint32_t)sps;
	return true;
}

/*
 * Sections and zones leave no trace of their own, but they decide where areas start and how much is kept for GC.
 * Other versions of mkfs keep more: then the first layout whose areas are the same is taken. Returns how well one fits.
 */
static int find_sections(struct f2fs_volume *vol, struct f2fs_geometry *geo, const uint8_t *cp)
{
	struct plan_input in = { .block_size = geo->block_size, .device_count = 1 };
	int found = 0;

	if (take_zones(f2fs_device_info(vol->dev), geo))
		return 2;
	in.devices[0].size = f2fs_device_info(vol->dev)->size;
	in.devices[0].sector_size = 512;
	in.large_nat = (cp_ckpt_flags(cp) & FLAG_ckpt_flags_large_nat_bitmap) != 0;
	for (uint32_t zone = 1; zone <= 64; zone++)
		for (uint32_t sps = zone; sps >= 1 && found < 2; sps--) {
			struct f2fs_layout plan;
			int fits;

			if (zone % sps)
				continue;
			in.segs_per_sec = sps;
			in.secs_per_zone = zone / sps;
			memset(&plan, 0, sizeof(plan));
			if (plan_layout(&in, &plan) != PLAN_OK || plan.geometry.main_blkaddr != geo->main_blkaddr ||
			    plan.geometry.segment_count_main != geo->segment_count_main)
				continue;
			fits = 1 + (plan.reserved_segments == cp_rsvd_segment_count(cp) &&
				    plan.overprovision_segments == cp_overprov_segment_count(cp));
			if (fits <= found)
				continue;
			found = fits;
			geo->segs_per_sec = sps;
			geo->secs_per_zone = zone / sps;
			geo->section_count = geo->segment_count_main / sps;
		}
	return found;
}

/* The entries of nids 1 and 2, which no other table looks like, in either copy of the first NAT block. */
static bool has_nat(struct f2fs_volume *vol, const struct f2fs_geometry *geo, uint8_t *block)
{
	for (unsigned copy = 0; copy < 2; copy++) {
		const uint8_t *one = block + nat_SIZE, *two = one + nat_SIZE;

		if (!read_quiet(vol, (uint64_t)geometry_nat_block(geo, 0, copy) << geo->block_bits, block,
				geo->block_size))
			continue;
		if (nat_ino(one) == NODE_INO && nat_block_addr(one) == 1 && nat_ino(two) == META_INO &&
		    nat_block_addr(two) == 1)
			return true;
	}
	return false;
}

/* A layout that a pack could belong to, and how much speaks for it. */
struct candidate {
	struct f2fs_geometry geo;
	int score;
};

/* Would a superblock with this layout be valid? A pack may say anything. */
static bool is_sound(const struct f2fs_volume *vol, struct f2fs_geometry *geo)
{
	uint8_t sb[sb_SIZE] = { 0 };

	geo->block_count = f2fs_device_info(vol->dev)->size >> geo->block_bits;
	superblock_fill(sb, geo);
	return superblock_check(sb) == RULE_NONE;
}

/* Take the block at addr for the first one of pack 1 or 2 of a volume that starts at segment0. */
static void try_pack(struct f2fs_volume *vol, uint32_t bits, f2fs_blk_t segment0, unsigned pack, uint8_t *cp,
		     struct candidate *best)
{
	struct candidate c = { .score = 1 };

	start_geometry(&c.geo, cp, bits, segment0);
	if (!find_main(vol, &c.geo, cp, cp + MAX_BLOCK))
		return;
	c.score += 6 * find_sections(vol, &c.geo, cp);
	if (!is_sound(vol, &c.geo))
		return;
	c.score += 16 * has_nat(vol, &c.geo, cp + MAX_BLOCK);
	c.score += 4 * read_pack(vol, 1u << bits, segment0 + (1 - pack) * SEG, cp + MAX_BLOCK);
	if (c.score > best->score)
		*best = c;
}

/* The same block can be that of pack 1, or of pack 2 of a volume that starts a segment before: all are tried. */
static bool find_pack(struct f2fs_volume *vol, uint8_t *cp)
{
	struct candidate best = { .score = 0 };

	for (uint32_t bits = 12; bits <= 14; bits += 2)
		for (uint32_t at = 2; at < SEGMENT0_LIMIT >> bits; at = at == 2 ? SEG : at + SEG)
			for (unsigned pack = 0; pack < 2; pack++)
				if (read_pack(vol, 1u << bits, at + pack * SEG, cp))
					try_pack(vol, bits, at, pack, cp, &best);
	vol->geo = best.geo;
	return best.score > 0;
}

/* ---- from the device alone */

/* Is there a checkpoint pack where a layout has it, of a main area of another size? 0, or its address. */
static f2fs_blk_t find_contradiction(struct f2fs_volume *vol, const struct f2fs_geometry *geo, uint8_t *cp)
{
	for (unsigned pack = 0; pack < 2; pack++) {
		const f2fs_blk_t at = geo->cp_blkaddr + pack * SEG;

		if (read_pack(vol, geo->block_size, at, cp) &&
		    cp_user_block_count(cp) / SEG + cp_overprov_segment_count(cp) != geo->segment_count_main)
			return at;
	}
	return 0;
}

/* *contradiction: address of a pack that speaks against all layouts of such a device, or 0. */
static bool find_plan(struct f2fs_volume *vol, uint8_t *block, f2fs_blk_t *contradiction)
{
	for (uint32_t bs = 4096; bs <= 16384; bs *= 4)
		for (uint32_t zone = 1; zone <= 64; zone++)
			for (unsigned large = 0; large < 2; large++) {
				struct plan_input in = {
					.block_size = bs, .segs_per_sec = zone, .secs_per_zone = 1, .device_count = 1
				};
				struct f2fs_layout plan;
				f2fs_blk_t against;

				in.large_nat = (uint8_t)large;
				in.devices[0].size = f2fs_device_info(vol->dev)->size;
				in.devices[0].sector_size = 512;
				memset(&plan, 0, sizeof(plan));
				if (plan_layout(&in, &plan) != PLAN_OK || !has_nat(vol, &plan.geometry, block))
					continue;
				against = find_contradiction(vol, &plan.geometry, block);
				if (!against) {
					vol->geo = plan.geometry;
					return true;
				}
				*contradiction = against;
			}
	return false;
}

int rescue_superblock(struct f2fs_volume *vol)
{
	f2fs_blk_t contradiction = 0;
	uint8_t *blocks;
	const char *how;
	int err;

	vol->rescue->has_features = find_copy(vol, true);
	if (vol->rescue->has_features || find_copy(vol, false)) {
		geometry_decode(&vol->geo, vol->sb);
		return volume_note(vol, "no superblock is valid; copy %u is used, whose layout is sound", vol->sb_copy);
	}
	if (find_mixture(vol)) {
		vol->rescue->has_features = true;
		geometry_decode(&vol->geo, vol->sb);
		return volume_note(vol, "no superblock is valid; the good numbers of both make a sound layout");
	}
	blocks = mem_alloc(vol->ctx, 2 * (size_t)MAX_BLOCK);
	if (!blocks)
		return F2FS_ERR_NOMEM;
	how = find_pack(vol, blocks)		       ? "layout taken from a checkpoint pack"
	      : find_plan(vol, blocks, &contradiction) ? "layout computed from the size of the device"
						       : NULL;
	mem_free(vol->ctx, blocks);
	if (!how && contradiction) {
		err = volume_note(vol,
				  "both superblocks are lost; the checkpoint pack at block %u is that of a larger "
				  "volume, which was cut short or has further devices, so its layout is unknown",
				  (unsigned)contradiction);
		return err ? err : F2FS_ERR_NOT_FOUND;
	}
	if (!how)
		return F2FS_ERR_NOT_FOUND;
	vol->rescue->has_superblock = vol->rescue->has_seed = false;
	vol->geo.block_count = f2fs_device_info(vol->dev)->size >> vol->geo.block_bits;
	vol->sb_copy = 0;
	memset(vol->sb, 0, sizeof(vol->sb));
	superblock_fill(vol->sb, &vol->geo);
	if (f2fs_device_info(vol->dev)->caps & F2FS_DEVICE_ZONED) { /* the other features are looked for later */
		vol->geo.feature = F2FS_FEAT_BLKZONED;
		sb_set_feature(vol->sb, F2FS_FEAT_BLKZONED);
	}
	return volume_note(vol,
			   "both superblocks are lost; %s: main area at block %u, %u segments; label and UUID are lost",
			   how, (unsigned)vol->geo.main_blkaddr, (unsigned)vol->geo.segment_count_main);
}
