/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Making and changing inodes within the transaction.
 */
#include <string.h>

#include "base/crc.h"
#include "base/devnum.h"
#include "base/error.h"
#include "base/extension.h"
#include "file/compress_mark.h"
#include "file/crypto.h"
#include "file/dir_write.h"
#include "file/inode_new.h"
#include "file/quota_count.h"
#include "file/winode.h"
#include "file/write.h"
#include "format/dentry.h"
#include "log/nodes.h"

/* Flags that a new inode takes from its directory (FORMAT files 2.5). */
#define INHERIT_ALL (0x8u | 0x40u | 0x80u | 0x10000u | 0x20000000u | 0x40000000u)

static uint32_t inherited_flags(uint32_t parent, uint16_t mode)
{
	uint32_t flags = parent & INHERIT_ALL;

	switch (mode & MODE_TYPE) {
	case MODE_DIR:
		return flags | FLAG_i_flags_index;
	case MODE_REG:
		return flags & ~(FLAG_i_flags_dirsync | FLAG_i_flags_projinherit | FLAG_i_flags_casefold);
	default:
		return flags & (FLAG_i_flags_nodump | FLAG_i_flags_noatime);
	}
}

/* Does a name have an extension of the superblock's list? 0 no, 1 cold, 2 hot (FORMAT volume 2.5). */
static unsigned temperature_of(const uint8_t *sb, const char *name, size_t len)
{
	const uint32_t cold = sb_extension_count(sb), n = cold + sb_hot_ext_count(sb);
	const uint32_t starts = extension_starts(name, len);

	for (uint32_t e = 0; e < n; e++) {
		const char *ext = (const char *)sb_extension_list(sb) + (size_t)e * 8;
		size_t ext_len = 0;

		if (!extension_may_match(starts, ext))
			continue;
		while (ext_len < 8 && ext[ext_len])
			ext_len++;
		if (extension_matches(name, len, ext, ext_len, false))
			return e < cold ? 1 : 2;
	}
	return 0;
}

static void fill_extra(struct winode *w, const uint8_t *parent, const struct inode_spec *spec)
{
	const struct f2fs_geometry *geo = &w->txn->vol->geo;
	uint8_t *block = winode_block(w), *extra = block + INODE_ADDR_OFFSET;

	if (!geometry_has(geo, F2FS_FEAT_EXTRA_ATTR))
		return;
	inode_set_i_inline(block, inode_i_inline(block) | (uint8_t)FLAG_i_inline_extra_attr);
	extra_set_i_extra_isize(extra, extra_SIZE);
	if (geometry_has(geo, F2FS_FEAT_FLEXIBLE_INLINE_XATTR))
		extra_set_i_inline_xattr_size(extra, INODE_DEFAULT_XATTR_WORDS);
	if (geometry_has(geo, F2FS_FEAT_PROJECT_QUOTA) && parent &&
	    (inode_i_flags(parent) & FLAG_i_flags_projinherit) && inode_has_extra(parent, extra_OFS_i_projid + 4))
		extra_set_i_projid(extra, extra_i_projid(inode_extra(parent)));
	if (geometry_has(geo, F2FS_FEAT_INODE_CRTIME)) {
		extra_set_i_crtime(extra, spec->crtime.seconds);
		extra_set_i_crtime_nsec(extra, spec->crtime.nanoseconds);
	}
}

static void fill_times(uint8_t *block, const struct inode_spec *spec)
{
	inode_set_i_atime(block, spec->atime.seconds);
	inode_set_i_atime_nsec(block, spec->atime.nanoseconds);
	inode_set_i_mtime(block, spec->mtime.seconds);
	inode_set_i_mtime_nsec(block, spec->mtime.nanoseconds);
	inode_set_i_ctime(block, spec->ctime.seconds);
	inode_set_i_ctime_nsec(block, spec->ctime.nanoseconds);
}

/*
 * Make a generation number: different for each use of an inode number, but the same when the same work is repeated on
 * the same volume.
 */
static uint32_t next_generation(const struct winode *w)
{
	uint8_t seed[12];

	put_le64(seed, cp_checkpoint_ver(w->txn->vol->view->cp));
	put_le32(seed + 8, w->node->nid);
	return crc_f2fs(w->txn->vol->checksum_seed, seed, sizeof(seed));
}

/* @name: as it was given, which decides about logs and compression. NULL: none, and neither of them. */
static int fill_inode(struct winode *w, const uint8_t *parent, f2fs_nid_t pino, const char *name, size_t len,
		      const struct inode_spec *spec)
{
	uint8_t *block = winode_block(w);
	unsigned type = spec->mode & MODE_TYPE, heat = 0;
	const bool is_root = w->node->nid == w->txn->vol->geo.root_ino;
	uint8_t inside = FLAG_i_inline_inline_xattr;

	if (type == MODE_REG || type == MODE_LNK)
		inside |= (uint8_t)FLAG_i_inline_inline_data;
	if (type == MODE_DIR && !is_root) /* the kernel mounts no volume whose root has no block besides its inode */
		inside |= (uint8_t)FLAG_i_inline_inline_dentry;
	inode_set_i_mode(block, spec->mode);
	inode_set_i_inline(block, inside);
	inode_set_i_uid(block, spec->uid);
	inode_set_i_gid(block, spec->gid);
	inode_set_i_links(block, type == MODE_DIR ? 2 : 1);
	inode_set_i_blocks(block, 1);
	fill_times(block, spec);
	inode_set_i_generation(block, next_generation(w));
	inode_set_i_flags(block, inherited_flags(parent ? inode_i_flags(parent) : 0, spec->mode));
	inode_set_i_pino(block, pino);
	fill_extra(w, parent, spec);
	if (type == MODE_REG && name)
		heat = temperature_of(w->txn->vol->sb, name, len);
	if (heat)
		inode_set_i_advise(block, (uint8_t)(heat == 1 ? FLAG_i_advise_cold : FLAG_i_advise_hot));
	if (name)
		compress_new(w, parent, name, len);
	winode_touch(w);
	if (type == MODE_CHR || type == MODE_BLK) {
		const struct devnum dev = { spec->rdev_major, spec->rdev_minor };

		if (devnum_encode(&dev, block + w->layout.slot_offset) != 0)
			return error_set(w->txn->vol->ctx, F2FS_ERR_RANGE, "device number %u:%u is out of range",
					 (unsigned)spec->rdev_major, (unsigned)spec->rdev_minor);
	}
	return 0;
}

int inode_make(struct winode *parent, const struct stored_name *name, const struct inode_spec *spec,
	       struct winode *out)
{
	struct f2fs_volume *vol = parent->txn->vol;
	bool is_dir = (spec->mode & MODE_TYPE) == MODE_DIR;
	int err;

	if (f2fs_type_of_mode(spec->mode) == 0)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "mode %o has no file type", (unsigned)spec->mode);
	out->txn = parent->txn;
	err = node_new(parent->txn, 0, 0, is_dir, &out->node);
	if (!err)
		err = fill_inode(out, winode_block(parent), name ? parent->node->nid : 0, name ? name->given : NULL,
				 name ? name->given_len : 0, spec);
	if (!err && name)
		winode_put_name(out, name);
	if (!err)
		err = crypto_inherit(parent, out);
	if (!err)
		err = quota_charge(out, 0, 1);
	if (!err && is_dir)
		err = dir_make_empty(out, parent->node->nid);
	return err;
}

int inode_make_root(struct txn *txn)
{
	const struct inode_spec spec = { .mode = MODE_DIR | 0755 };
	struct winode w = { .txn = txn };
	int err = node_new_at(txn, txn->vol->geo.root_ino, &w.node);

	if (err)
		return err;
	footer_set_flag(node_footer_w(&txn->vol->geo, winode_block(&w)), 0); /* of a directory */
	err = fill_inode(&w, NULL, txn->vol->geo.root_ino, "", 0, &spec);
	if (!err)
		err = quota_charge(&w, 0, 1);
	return err ? err : dir_make_empty(&w, txn->vol->geo.root_ino);
}

int inode_fill_hidden(struct winode *w, const struct inode_spec *spec)
{
	return fill_inode(w, NULL, 0, "", 0, spec);
}
