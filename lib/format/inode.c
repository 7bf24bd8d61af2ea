/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode arithmetic and rules. The rules are those for which the kernel refuses an inode.
 */
#include "format/inode.h"

#include "base/crc.h"

/* End offsets of extra attributes, for inode_has_extra(). */
enum {
	EXTRA_END_checksum = 12,
	EXTRA_END_compress = 36,
};

static uint32_t reserved_xattr_words(const struct f2fs_geometry *geo, const uint8_t *block)
{
	if (geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR))
		return extra_i_inline_xattr_size(inode_extra(block)); /* whatever EXTRA_ATTR says, as the kernel does */
	if (inode_has_inline(block, FLAG_i_inline_inline_xattr | FLAG_i_inline_inline_dentry))
		return INODE_DEFAULT_XATTR_WORDS;
	return 0;
}

bool inode_names_no_packing(const uint8_t *block)
{
	const uint8_t *extra = inode_extra(block);

	return extra_i_log_cluster_size(extra) == 0 && extra_i_compress_algorithm(extra) == 0 &&
	       extra_i_compr_blocks(extra) == 0;
}

static bool is_compressed(const struct f2fs_geometry *geo, const uint8_t *block)
{
	return geometry_has(geo, F2FS_FEAT_COMPRESSION) && (inode_i_flags(block) & FLAG_i_flags_compr) &&
	       (inode_i_mode(block) & MODE_TYPE) == MODE_REG && inode_has_extra(block, EXTRA_END_compress) &&
	       !inode_names_no_packing(block);
}

void inode_layout(const struct f2fs_geometry *geo, const uint8_t *block, struct inode_layout *out)
{
	const uint32_t words = geo->addrs_per_inode;
	uint32_t extra = inode_extra_size(block) / 4, xattr = reserved_xattr_words(geo, block);

	if (extra > extra_SIZE / 4)
		extra = extra_SIZE / 4;
	if (xattr > words - extra - 1)
		xattr = 0;
	out->extra_words = extra;
	out->xattr_words = xattr;
	out->slots = words - extra - xattr;
	out->node_slots = geo->addrs_per_block;
	out->slot_offset = INODE_ADDR_OFFSET + 4 * extra;
	out->inline_offset = out->slot_offset + 4;
	out->inline_size = 4 * (words - extra - xattr - 1);
	out->xattr_offset = INODE_ADDR_OFFSET + 4 * (words - xattr);
	out->xattr_size = inode_has_inline(block, FLAG_i_inline_inline_xattr) ? 4 * xattr : 0;
	out->is_compressed = is_compressed(geo, block);
	out->cluster_blocks = 0;
	if (out->is_compressed) {
		uint8_t bits = extra_i_log_cluster_size(inode_extra(block));

		if (bits < 2 || bits > 8)
			bits = 2;
		out->cluster_blocks = 1u << bits;
		out->slots -= out->slots % out->cluster_blocks;
		out->node_slots -= out->node_slots % out->cluster_blocks;
	}
}

bool inode_has_checksum(const struct f2fs_geometry *geo, const uint8_t *block)
{
	return geometry_has(geo, F2FS_FEAT_INODE_CHECKSUM) && inode_has_extra(block, EXTRA_END_checksum);
}

uint32_t inode_checksum(const struct f2fs_geometry *geo, const uint8_t *block, uint32_t seed)
{
	static const uint8_t zero[4];
	const uint32_t at = INODE_ADDR_OFFSET + extra_OFS_i_inode_checksum;
	uint32_t c = crc_f2fs(seed, node_footer(geo, block) + footer_OFS_ino, 4);

	c = crc_f2fs(c, block + inode_OFS_i_generation, 4);
	c = crc_f2fs(c, block, at);
	c = crc_f2fs(c, zero, 4);
	return crc_f2fs(c, block + at + 4, geo->block_size - at - 4);
}

static enum rule check_extra(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint32_t needs_extra = F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_INODE_CHECKSUM |
				     F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_COMPRESSION;
	uint32_t size;

	if (!geometry_has(geo, F2FS_FEAT_EXTRA_ATTR)) {
		if (geometry_has(geo, needs_extra))
			return RULE_INODE_FEATURES;
		return inode_has_inline(block, FLAG_i_inline_extra_attr) ? RULE_INODE_EXTRA : RULE_NONE;
	}
	if (!inode_has_inline(block, FLAG_i_inline_extra_attr))
		return RULE_NONE;
	size = extra_i_extra_isize(inode_extra(block));
	if (size < 4 || size > extra_SIZE || size % 4 != 0)
		return RULE_INODE_EXTRA;
	if (geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR)) {
		uint32_t words = extra_i_inline_xattr_size(inode_extra(block));

		if (words > inode_most_xattr_words(geo) ||
		    (inode_has_inline(block, FLAG_i_inline_inline_xattr) && words < INODE_LEAST_XATTR_WORDS))
			return RULE_INODE_INLINE_XATTR;
	}
	return RULE_NONE;
}

enum rule inode_check_packing(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint8_t *extra = inode_extra(block);
	unsigned level, algorithm;

	if (!geometry_has(geo, F2FS_FEAT_COMPRESSION) || !(inode_i_flags(block) & FLAG_i_flags_compr) ||
	    !inode_has_extra(block, EXTRA_END_compress))
		return RULE_NONE;
	algorithm = extra_i_compress_algorithm(extra);
	level = extra_i_compress_flag(extra) >> 8;
	if (algorithm > 3 || extra_i_compr_blocks(extra) > inode_i_blocks(block) - 1 ||
	    extra_i_log_cluster_size(extra) < 2 || extra_i_log_cluster_size(extra) > 8)
		return RULE_INODE_COMPRESS;
	if ((algorithm == 0 || algorithm == 3) && level != 0)
		return RULE_INODE_COMPRESS;
	if (algorithm == 1 && level != 0 && (level < 3 || level > 12))
		return RULE_INODE_COMPRESS;
	if (algorithm == 2 && level > 22)
		return RULE_INODE_COMPRESS;
	return RULE_NONE;
}

static bool owns_blocks(const struct f2fs_geometry *geo, const uint8_t *block)
{
	uint64_t own = inode_i_blocks(block) - 1;

	for (unsigned i = 0; i < 5; i++)
		if (inode_nid(geo, block, i) != 0)
			return true;
	return own > (inode_i_xattr_nid(block) ? 1u : 0u);
}

static enum rule check_inline(const struct f2fs_geometry *geo, const uint8_t *block)
{
	unsigned type = inode_i_mode(block) & MODE_TYPE;
	struct inode_layout layout;

	if (inode_has_inline(block, FLAG_i_inline_inline_dentry) && type != MODE_DIR)
		return RULE_INODE_INLINE_DENTRY;
	if (!inode_has_inline(block, FLAG_i_inline_inline_data) || owns_blocks(geo, block))
		return RULE_NONE;
	inode_layout(geo, block, &layout);
	if ((type != MODE_REG && type != MODE_LNK) || inode_i_size(block) > layout.inline_size)
		return RULE_INODE_INLINE_DATA;
	if (type == MODE_REG && ((inode_i_advise(block) & (FLAG_i_advise_encrypt | FLAG_i_advise_verity)) ||
				 (inode_i_flags(block) & FLAG_i_flags_compr)))
		return RULE_INODE_INLINE_DATA;
	return RULE_NONE;
}

static const uint32_t modes[] = {
	[F2FS_TYPE_REGULAR] = MODE_REG, [F2FS_TYPE_DIRECTORY] = MODE_DIR, [F2FS_TYPE_CHARACTER] = MODE_CHR,
	[F2FS_TYPE_BLOCK] = MODE_BLK,	[F2FS_TYPE_FIFO] = MODE_FIFO,	  [F2FS_TYPE_SOCKET] = MODE_SOCK,
	[F2FS_TYPE_SYMLINK] = MODE_LNK,
};
enum { TYPES = sizeof(modes) / sizeof(modes[0]) };

unsigned f2fs_type_of_mode(uint32_t mode)
{
	unsigned type = TYPES - 1;

	while (type != F2FS_TYPE_UNKNOWN && modes[type] != (mode & MODE_TYPE))
		type--;
	return type;
}

uint32_t f2fs_mode_of_type(unsigned type)
{
	return type < TYPES ? modes[type] : 0;
}

static enum rule check_type(const struct f2fs_geometry *geo, const uint8_t *block, f2fs_nid_t nid)
{
	unsigned type = f2fs_type_of_mode(inode_i_mode(block));

	if (type == F2FS_TYPE_UNKNOWN)
		return RULE_INODE_MODE;
	if ((inode_i_flags(block) & FLAG_i_flags_casefold) && !geometry_has(geo, F2FS_FEAT_CASEFOLD))
		return RULE_INODE_CASEFOLD;
	if (nid == geo->root_ino &&
	    (type != F2FS_TYPE_DIRECTORY || inode_i_size(block) == 0 || inode_i_links(block) == 0))
		return RULE_INODE_ROOT;
	if (type == F2FS_TYPE_DIRECTORY && inode_i_current_depth(block) > DIR_MAX_DEPTH)
		return RULE_DIR_DEPTH;
	return RULE_NONE;
}

static enum rule check_extent(const struct f2fs_geometry *geo, const uint8_t *block)
{
	uint32_t len = inode_i_ext_len(block), blk = inode_i_ext_blk(block);

	if (len == 0)
		return RULE_NONE;
	if (!geometry_is_main(geo, blk) || (uint64_t)blk + len > geo->end_blkaddr)
		return RULE_INODE_EXTENT;
	return RULE_NONE;
}

bool inode_is_readable(const uint8_t *block, enum rule rule)
{
	return rule == RULE_DIR_DEPTH || (rule == RULE_INODE_EXTENT && (inode_i_mode(block) & MODE_TYPE) != MODE_REG);
}

enum rule inode_check(const struct f2fs_geometry *geo, const uint8_t *block, f2fs_nid_t nid, uint32_t checksum_seed)
{
	const uint8_t *footer = node_footer(geo, block);
	enum rule rule;

	if (inode_has_checksum(geo, block) &&
	    extra_i_inode_checksum(inode_extra(block)) != inode_checksum(geo, block, checksum_seed))
		return RULE_INODE_CHECKSUM;
	if (inode_i_blocks(block) == 0)
		return RULE_INODE_BLOCKS;
	if (footer_nid(footer) != footer_ino(footer))
		return RULE_INODE_FOOTER;
	if (inode_i_xattr_nid(block) == nid ||
	    (inode_i_xattr_nid(block) != 0 && !geometry_is_nid(geo, inode_i_xattr_nid(block))))
		return RULE_INODE_XATTR_NID;
	rule = check_extra(geo, block);
	if (!rule)
		rule = inode_check_packing(geo, block);
	if (!rule)
		rule = check_inline(geo, block);
	if (!rule)
		rule = check_type(geo, block, nid);
	if (!rule)
		rule = check_extent(geo, block);
	return rule;
}

void f2fs_inode_layout(const struct f2fs_geometry *geo, const uint8_t *block, struct f2fs_inode_layout *out)
{
	struct inode_layout l;

	inode_layout(geo, block, &l);
	out->extra_offset = INODE_ADDR_OFFSET;
	out->extra_size = l.extra_words * 4;
	out->slot_offset = l.slot_offset;
	out->slots = l.slots;
	out->inline_offset = l.inline_offset;
	out->inline_size = l.inline_size;
	out->xattr_offset = l.xattr_offset;
	out->xattr_size = l.xattr_size;
	out->nid_offset = INODE_ADDR_OFFSET + 4 * geo->addrs_per_inode;
	out->footer_offset = node_bytes(geo);
	out->node_slots = l.node_slots;
	out->cluster_blocks = l.is_compressed ? l.cluster_blocks : 0;
}

int f2fs_node_is_direct(const struct f2fs_geometry *geo, uint32_t node_offset)
{
	return node_offset_is_direct(geo, node_offset);
}
