/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Each inode is a witness. For features that every inode shows (extra attributes, their inline attribute sizes and
 * checksums) the majority counts. For features that single files use, one file with two marks that need each other is
 * enough, or several with one: damage of a file sets one mark of one file.
 */
#include "format/evidence.h"

#include "base/crc.h"
#include "format/inode.h"
#include "format/xattr.h"

#define HANDFUL 4u
#define POLYNOMIAL 0xEDB88320u

/* What one inode shows: sets of features. */
struct witness {
	uint32_t able, shows, sure;
};

uint32_t evidence_crc_backwards(uint32_t crc, const uint8_t *bytes, size_t n)
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

	c = evidence_crc_backwards(c, block + at + 4, geo->block_size - at - 4);
	c = evidence_crc_backwards(c, zero, 4);
	c = evidence_crc_backwards(c, block, at);
	c = evidence_crc_backwards(c, block + inode_OFS_i_generation, 4);
	return evidence_crc_backwards(c, node_footer(geo, block) + footer_OFS_ino, 4);
}

static bool looks_like_inode(const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint8_t *footer = node_footer(geo, block);

	return geometry_is_nid(geo, footer_nid(footer)) && footer_nid(footer) == footer_ino(footer) &&
	       node_offset_of(footer) == 0 && f2fs_type_of_mode(inode_i_mode(block)) != 0 &&
	       inode_i_blocks(block) != 0 && inode_i_namelen(block) <= 255;
}

/* Size of the extra attributes when there are any that can be, else 0. */
static uint32_t extra_of(const uint8_t *block)
{
	const uint32_t size = inode_extra_size(block);

	return size >= 4 && size <= extra_SIZE && size % 4 == 0 ? size : 0;
}

/* Is an attribute of this kind inside the inode? */
static bool has_xattr(const struct f2fs_geometry *geo, const uint8_t *block, uint8_t index)
{
	const uint32_t extra = extra_of(block);
	uint32_t words = extra ? extra_i_inline_xattr_size(inode_extra(block)) : 0, at = 0;
	const uint8_t *string;
	struct xattr_ref ref;

	if (!inode_has_inline(block, FLAG_i_inline_inline_xattr))
		return false;
	if (words < INODE_LEAST_XATTR_WORDS || words > inode_most_xattr_words(geo))
		words = INODE_DEFAULT_XATTR_WORDS;
	string = block + INODE_ADDR_OFFSET + 4 * (size_t)(geo->addrs_per_inode - words);
	while (xattr_next(string, words * 4, &at, &ref) == XATTR_FOUND)
		if (ref.index == index)
			return true;
	return false;
}

static void look_at_extra(struct witness *w, const struct f2fs_geometry *geo, const uint8_t *block, uint32_t size)
{
	const uint8_t *extra = inode_extra(block);
	const uint32_t words = extra_i_inline_xattr_size(extra);

	w->shows |= F2FS_FEAT_EXTRA_ATTR;
	if (words || inode_has_inline(block, FLAG_i_inline_inline_xattr))
		w->able |= F2FS_FEAT_FLEXIBLE_INLINE_XATTR;
	if (words >= INODE_LEAST_XATTR_WORDS && words <= inode_most_xattr_words(geo))
		w->shows |= F2FS_FEAT_FLEXIBLE_INLINE_XATTR;
	if (size >= extra_OFS_i_projid + 4 && extra_i_projid(extra))
		w->shows |= F2FS_FEAT_PROJECT_QUOTA;
	if (size >= extra_OFS_i_inode_checksum + 4) {
		w->able |= F2FS_FEAT_INODE_CHECKSUM;
		if (extra_i_inode_checksum(extra))
			w->shows |= F2FS_FEAT_INODE_CHECKSUM;
	}
	if (size >= extra_OFS_i_compr_blocks) {
		w->able |= F2FS_FEAT_INODE_CRTIME;
		if (extra_i_crtime(extra))
			w->shows |= F2FS_FEAT_INODE_CRTIME;
	}
	if (size == extra_SIZE && (inode_i_flags(block) & FLAG_i_flags_compr) && !inode_names_no_packing(block)) {
		w->shows |= F2FS_FEAT_COMPRESSION;
		if (extra_i_log_cluster_size(extra) >= 2 && extra_i_log_cluster_size(extra) <= 8 &&
		    extra_i_compress_algorithm(extra) <= 3)
			w->sure |= F2FS_FEAT_COMPRESSION;
	}
}

static void look_at(struct witness *w, const struct f2fs_geometry *geo, const uint8_t *block)
{
	const uint32_t extra = extra_of(block), flags = inode_i_flags(block), advise = inode_i_advise(block);
	const bool is_dir = (inode_i_mode(block) & MODE_TYPE) == MODE_DIR;

	w->able |= F2FS_FEAT_EXTRA_ATTR;
	if (extra)
		look_at_extra(w, geo, block, extra);
	if ((flags & FLAG_i_flags_casefold) && is_dir)
		w->shows |= F2FS_FEAT_CASEFOLD;
	if ((flags & FLAG_i_flags_device_alias) && inode_i_ext_len(block))
		w->shows |= F2FS_FEAT_DEVICE_ALIAS;
	if (advise & FLAG_i_advise_encrypt) {
		w->shows |= F2FS_FEAT_ENCRYPT;
		if (has_xattr(geo, block, XATTR_ENCRYPTION))
			w->sure |= F2FS_FEAT_ENCRYPT;
	}
	if ((advise & FLAG_i_advise_verity) && !is_dir) {
		w->shows |= F2FS_FEAT_VERITY;
		if (has_xattr(geo, block, XATTR_VERITY))
			w->sure |= F2FS_FEAT_VERITY;
	}
}

void evidence_add(struct evidence *e, const struct f2fs_geometry *geo, const uint8_t *block)
{
	struct witness w = { 0, 0, 0 };

	if (!looks_like_inode(geo, block))
		return;
	look_at(&w, geo, block);
	e->inodes++;
	e->sure |= w.sure;
	for (unsigned bit = 0; bit < EVIDENCE_FEATURES; bit++) {
		e->able[bit] += w.able >> bit & 1;
		e->shows[bit] += w.shows >> bit & 1;
	}
	if ((w.shows & F2FS_FEAT_INODE_CHECKSUM) && e->seed_count < EVIDENCE_SEEDS)
		e->seeds[e->seed_count++] = seed_of(geo, block);
}

void evidence_confirm(struct evidence *e, uint32_t feature)
{
	for (unsigned bit = 0; bit < EVIDENCE_FEATURES; bit++)
		if ((feature >> bit & 1) && e->shows[bit])
			e->sure |= 1u << bit;
}

uint32_t evidence_shown(const struct evidence *e)
{
	uint32_t shown = e->sure;

	for (unsigned bit = 0; bit < EVIDENCE_FEATURES; bit++)
		if (e->able[bit] ? e->shows[bit] * 2 > e->able[bit] : e->shows[bit] > HANDFUL)
			shown |= 1u << bit;
	return shown;
}

uint32_t evidence_denied(const struct evidence *e)
{
	/* without the others nothing is read in another way */
	const uint32_t asked = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_FLEXIBLE_INLINE_XATTR | F2FS_FEAT_INODE_CHECKSUM;
	uint32_t denied = 0;

	for (unsigned bit = 0; bit < EVIDENCE_FEATURES; bit++)
		if ((asked >> bit & 1) && e->shows[bit] * 2 < e->able[bit])
			denied |= 1u << bit;
	return denied;
}

uint32_t evidence_decide(const struct evidence *e, uint32_t feature)
{
	uint32_t denied = evidence_denied(e), decided;

	/* inodes without extra attributes are legal on a volume that has the feature, unless a size in them is read */
	if (denied & feature & F2FS_FEAT_EXTRA_ATTR)
		denied = (denied & ~(uint32_t)F2FS_FEAT_EXTRA_ATTR) | F2FS_FEAT_FLEXIBLE_INLINE_XATTR;
	decided = (feature | evidence_shown(e)) & ~denied;
	return e->inodes && !(decided & F2FS_FEAT_EXTRA_ATTR) ? decided & ~(uint32_t)FEATURES_NEED_EXTRA : decided;
}

void evidence_sum(struct evidence *e, const struct f2fs_geometry *geo, const uint8_t *block, uint32_t seed)
{
	uint32_t sum;

	if (!looks_like_inode(geo, block) || extra_of(block) < extra_OFS_i_inode_checksum + 4)
		return;
	sum = extra_i_inode_checksum(inode_extra(block));
	e->sums++; /* none is 0: Linux gives one to each inode that it writes */
	e->right_sums += sum == inode_checksum(geo, block, seed);
}

bool evidence_sums_hold(const struct evidence *e)
{
	return e->sums == e->right_sums;
}

bool evidence_seed(const struct evidence *e, uint32_t *seed)
{
	for (unsigned i = 0; i < e->seed_count; i++) {
		unsigned votes = 0;

		for (unsigned j = 0; j < e->seed_count; j++)
			votes += e->seeds[j] == e->seeds[i];
		*seed = e->seeds[i];
		if (votes * 2 > e->seed_count)
			return true;
	}
	return false;
}
