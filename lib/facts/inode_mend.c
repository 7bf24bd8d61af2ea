/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Correct an inode that breaks rules: one correction per rule, applied to a copy of its block. The facts are taken from
 * the corrected copy, and a repair writes it.
 */
#include "facts/inode_mend.h"
#include "facts/run.h"
#include "format/inode.h"

#define DEFAULT_CLUSTER_BITS 2u

static void clear_inline(uint8_t *block, uint32_t flag)
{
	inode_set_i_inline(block, (uint8_t)(inode_i_inline(block) & ~flag));
}

static void clear_flag(uint8_t *block, uint32_t flag)
{
	inode_set_i_flags(block, inode_i_flags(block) & ~flag);
}

static void mend_extra(const struct f2fs_geometry *geo, uint8_t *block)
{
	if (!geometry_has(geo, F2FS_FEAT_EXTRA_ATTR))
		clear_inline(block, FLAG_i_inline_extra_attr);
	else /* the kernel's value for every new inode */
		extra_set_i_extra_isize(block + INODE_ADDR_OFFSET, extra_SIZE);
}

static void mend_compression(uint8_t *block)
{
	uint8_t *extra = block + INODE_ADDR_OFFSET;

	if (inode_names_no_packing(block)) {
		clear_flag(block, FLAG_i_flags_compr);
		return;
	}
	if (extra_i_log_cluster_size(extra) < 2 || extra_i_log_cluster_size(extra) > 8)
		extra_set_i_log_cluster_size(extra, DEFAULT_CLUSTER_BITS);
	if (extra_i_compress_algorithm(extra) > 3)
		extra_set_i_compress_algorithm(extra, 1);
	extra_set_i_compress_flag(extra, extra_i_compress_flag(extra) & 0xff);
	if (extra_i_compr_blocks(extra) > inode_i_blocks(block) - 1)
		extra_set_i_compr_blocks(extra, 0);
}

/* Is anything in the room for data inside the inode? */
static bool holds_data(const struct inode_layout *layout, const uint8_t *block)
{
	for (uint32_t i = 0; i < layout->inline_size; i++)
		if (block[layout->inline_offset + i] != 0)
			return true;
	return false;
}

/* Set a size that fits. One that is too large by a single bit, and then ends with the data, had that bit clear. */
static void mend_inline_size(uint8_t *block, const struct inode_layout *layout)
{
	const uint8_t *data = block + layout->inline_offset;
	const uint64_t size = inode_i_size(block);
	uint64_t rest, top = (uint64_t)1 << 63;

	if (size <= layout->inline_size)
		return;
	while (!(size & top))
		top >>= 1;
	rest = size ^ top;
	if (rest > 0 && rest <= layout->inline_size && data[rest - 1] != 0 &&
	    is_zero(data + rest, layout->inline_size - (size_t)rest))
		inode_set_i_size(block, rest);
	else
		inode_set_i_size(block, layout->inline_size);
}

static void mend_inline_data(const struct f2fs_geometry *geo, uint8_t *block)
{
	const uint8_t marks = FLAG_i_advise_encrypt | FLAG_i_advise_verity;
	const unsigned type = inode_i_mode(block) & MODE_TYPE;
	struct inode_layout layout;

	inode_layout(geo, block, &layout);
	if ((type != MODE_REG && type != MODE_LNK) ||
	    (type == MODE_REG && (inode_i_advise(block) & marks) && !holds_data(&layout, block))) {
		clear_inline(block, FLAG_i_inline_inline_data);
		return;
	}
	if (type == MODE_REG) { /* files with inline data are never encrypted, verity-protected or compressed */
		clear_flag(block, FLAG_i_flags_compr);
		inode_set_i_advise(block, inode_i_advise(block) & (uint8_t)~marks);
	}
	inode_layout(geo, block, &layout);
	mend_inline_size(block, &layout);
}

static bool mend_root(const struct f2fs_geometry *geo, uint8_t *block)
{
	if ((inode_i_mode(block) & MODE_TYPE) != MODE_DIR)
		return false;
	if (inode_i_size(block) == 0)
		inode_set_i_size(block, geo->block_size);
	if (inode_i_links(block) == 0)
		inode_set_i_links(block, 2);
	return true;
}

/* Guess the type of an inode whose mode is damaged: a directory if it has inline entries or the index flag, else a
 * regular file. The entry that names it knows better, but is read later (inode_type.c). */
static void mend_mode(uint8_t *block)
{
	const uint16_t permissions = inode_i_mode(block) & 07777;
	const bool is_dir = inode_has_inline(block, FLAG_i_inline_inline_dentry) ||
			    (inode_i_flags(block) & FLAG_i_flags_index) != 0;

	inode_set_i_mode(block, (uint16_t)(permissions | (is_dir ? MODE_DIR : MODE_REG)));
}

/*
 * Do the slots look like block pointers? As far as the size reaches, each must be empty, reserved, or an address in the
 * main area. At least one must be an address.
 */
static bool holds_pointers(const struct f2fs_geometry *geo, const uint8_t *block, const struct inode_layout *layout)
{
	const uint64_t blocks = (inode_i_size(block) + geo->block_size - 1) >> geo->block_bits;
	uint32_t real = 0;

	for (uint32_t i = 0; i < layout->slots && i < blocks; i++) {
		const f2fs_blk_t addr = get_le32(block + layout->slot_offset + (size_t)i * 4);

		if (geometry_is_main(geo, addr))
			real++;
		else if (addr != F2FS_NULL_ADDR && addr != F2FS_NEW_ADDR)
			return false;
	}
	return real > 0;
}

enum rule inode_misread(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const unsigned type = inode_i_mode(block) & MODE_TYPE;
	const uint64_t size = inode_i_size(block);
	struct inode_layout layout;

	if (inode_i_blocks(block) <= 1u + (inode_i_xattr_nid(block) != 0))
		return RULE_NONE;
	inode_layout(geo, block, &layout);
	if (type == MODE_REG && inode_has_inline(block, FLAG_i_inline_inline_data) && size > layout.inline_size)
		return holds_pointers(geo, block, &layout) ? RULE_INODE_INLINE_DATA : RULE_NONE;
	if (type == MODE_DIR && inode_has_inline(block, FLAG_i_inline_inline_dentry) && size % geo->block_size == 0)
		return holds_pointers(geo, block, &layout) ? RULE_INODE_INLINE_DENTRY : RULE_NONE;
	return RULE_NONE;
}

void inode_mend_misread(uint8_t *block)
{
	clear_inline(block, FLAG_i_inline_inline_data | FLAG_i_inline_data_exist | FLAG_i_inline_inline_dentry);
}

bool inode_mend(const struct f2fs_geometry *geo, uint8_t *block, f2fs_nid_t nid, enum rule rule)
{
	switch (rule) {
	case RULE_INODE_BLOCKS:
		inode_set_i_blocks(block, 1);
		return true;
	case RULE_INODE_XATTR_NID:
		inode_set_i_xattr_nid(block, 0);
		return true;
	case RULE_INODE_EXTRA:
		mend_extra(geo, block);
		return true;
	case RULE_INODE_INLINE_XATTR:
		extra_set_i_inline_xattr_size(block + INODE_ADDR_OFFSET, INODE_DEFAULT_XATTR_WORDS);
		return true;
	case RULE_INODE_COMPRESS:
		mend_compression(block);
		return true;
	case RULE_INODE_INLINE_DATA:
		mend_inline_data(geo, block);
		return true;
	case RULE_INODE_INLINE_DENTRY:
		clear_inline(block, FLAG_i_inline_inline_dentry);
		return true;
	case RULE_INODE_CASEFOLD:
		clear_flag(block, FLAG_i_flags_casefold);
		return true;
	case RULE_INODE_EXTENT:
		inode_set_i_ext_len(block, 0);
		return true;
	case RULE_DIR_DEPTH:
		inode_set_i_current_depth(block, DIR_MAX_DEPTH);
		return true;
	case RULE_INODE_MODE:
		mend_mode(block);
		return true;
	case RULE_INODE_ROOT:
		return nid == geo->root_ino && mend_root(geo, block);
	default:
		return false;
	}
}
