/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Decide whether and how a new file is compressed (FORMAT files 8.5).
 */
#include <string.h>

#include "base/comp.h"
#include "base/error.h"
#include "base/extension.h"
#include "file/change_rules.h"
#include "file/compress_mark.h"
#include "file/winode.h"
#include "file/write.h"

int compress_check(struct f2fs_volume *vol, const struct f2fs_compression *how)
{
	if (!comp_name(how->algorithm))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no compression algorithm %u", how->algorithm);
	if (!comp_level_is_valid(how->algorithm, how->level))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "%s has no level %u", comp_name(how->algorithm),
				 how->level);
	if (how->log_cluster != 0 && (how->log_cluster < 2 || how->log_cluster > 8))
		return error_set(vol->ctx, F2FS_ERR_INVALID, "a cluster has 2^2 to 2^8 blocks, not 2^%u",
				 how->log_cluster);
	if (!geometry_has(&vol->geo, F2FS_FEAT_COMPRESSION))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED,
				 "the volume lacks the feature compression (tune.f2fs -O compression turns it on)");
	if (!comp_can_compress(how->algorithm))
		return error_set(vol->ctx, F2FS_ERR_UNSUPPORTED, "cannot compress with %s: %s",
				 comp_name(how->algorithm), comp_why_not(how->algorithm));
	return 0;
}

struct f2fs_compression compress_exactly(const struct f2fs_compression *how)
{
	struct f2fs_compression exact = *how;

	if (exact.algorithm == COMP_ZSTD && exact.level == 0)
		exact.level = 1; /* it is written out, as the kernel does */
	if (exact.log_cluster == 0)
		exact.log_cluster = 2;
	return exact;
}

void compress_mark(struct winode *w, const struct f2fs_compression *how)
{
	uint8_t *block = winode_block(w), *extra = block + INODE_ADDR_OFFSET;
	const struct f2fs_compression exact = compress_exactly(how);

	inode_set_i_flags(block, (inode_i_flags(block) & ~FLAG_i_flags_nocomp) | FLAG_i_flags_compr);
	inode_set_i_inline(block,
			   inode_i_inline(block) & (uint8_t) ~(FLAG_i_inline_inline_data | FLAG_i_inline_data_exist));
	extra_set_i_compr_blocks(extra, 0);
	extra_set_i_compress_algorithm(extra, exact.algorithm);
	extra_set_i_log_cluster_size(extra, exact.log_cluster);
	extra_set_i_compress_flag(extra, (uint16_t)(exact.level << 8 | (exact.checksum != 0)));
	winode_touch(w);
}

/* Hot names of the superblock's list are not compressed. */
static bool is_hot(const uint8_t *sb, const char *name, size_t len)
{
	uint32_t cold = sb_extension_count(sb), n = cold + sb_hot_ext_count(sb);

	for (uint32_t e = cold; e < n; e++) {
		const char *ext = (const char *)sb_extension_list(sb) + (size_t)e * 8;
		const char *end = memchr(ext, 0, 8);

		if (extension_matches(name, len, ext, end ? (size_t)(end - ext) : 8, false))
			return true;
	}
	return false;
}

/* How files are compressed that are made in a directory. */
static void choose_way(const struct f2fs_compression *wanted, const uint8_t *parent, struct f2fs_compression *how)
{
	const uint8_t *extra = parent ? inode_extra(parent) : NULL;

	memset(how, 0, sizeof(*how));
	how->algorithm = COMP_LZ4;
	if (wanted) {
		*how = *wanted;
	} else if (parent && inode_has_extra(parent, extra_SIZE) && extra_i_log_cluster_size(extra) >= 2) {
		how->algorithm = extra_i_compress_algorithm(extra);
		how->level = (uint8_t)(extra_i_compress_flag(extra) >> 8);
		how->log_cluster = extra_i_log_cluster_size(extra);
		how->checksum = extra_i_compress_flag(extra) & 1;
	}
}

void compress_new(struct winode *w, const uint8_t *parent, const char *name, size_t len)
{
	const struct f2fs_volume *vol = w->txn->vol;
	const uint32_t flags = parent ? inode_i_flags(parent) : 0;
	const unsigned type = inode_i_mode(winode_block(w)) & MODE_TYPE;
	struct f2fs_compression how;
	struct change_rules rules;
	bool wanted = false;

	if (!geometry_has(&vol->geo, F2FS_FEAT_COMPRESSION) || (type != MODE_REG && type != MODE_DIR))
		return;
	change_compression(w->txn, &rules);
	if (type == MODE_REG) {
		if (is_hot(vol->sb, name, len) || extension_in_list(rules.plain_names, name, len))
			return;
		wanted = extension_in_list(rules.compress_names, name, len);
	}
	if (!wanted && (flags & FLAG_i_flags_nocomp)) {
		inode_set_i_flags(winode_block(w), inode_i_flags(winode_block(w)) | FLAG_i_flags_nocomp);
		return;
	}
	if (!wanted && !(flags & FLAG_i_flags_compr))
		return;
	choose_way(rules.compression, parent, &how);
	/* what this build cannot compress is not marked: it would only lose its inline contents */
	if (comp_can_compress(how.algorithm) && comp_level_is_valid(how.algorithm, how.level) && how.log_cluster <= 8)
		compress_mark(w, &how);
}
