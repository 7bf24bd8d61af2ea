/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening an inode and what stat(2) would show of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/checked.h"
#include "base/devnum.h"
#include "base/error.h"
#include "file/data_read.h"
#include "file/handle_list.h"
#include "file/inode_life.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/object.h"

int inode_open(struct f2fs_volume *vol, f2fs_nid_t ino, struct f2fs_inode **out)
{
	struct f2fs_inode *inode;
	int err;

	if (vol->as_of)
		return vol->ops.open_as_of(vol->as_of, ino, out);
	/* one piece of memory: the struct, then the block */
	inode = mem_alloc(vol->ctx, sizeof(*inode) + vol->geo.block_size);
	if (!inode)
		return F2FS_ERR_NOMEM;
	memset(inode, 0, sizeof(*inode));
	inode->vol = vol;
	inode->ino = ino;
	inode->block = (uint8_t *)(inode + 1);
	err = inode_load(inode);
	if (!err)
		err = inode_bind(inode);
	if (err) {
		mem_free(vol->ctx, inode);
		return err;
	}
	*out = inode;
	return 0;
}

int f2fs_inode_open(struct f2fs_volume *vol, f2fs_nid_t ino, struct f2fs_inode **out)
{
	error_clear(vol->ctx);
	return inode_open(vol, ino, out);
}

static void forget_handle(struct f2fs_inode *inode)
{
	handles_remove(inode);
	if (inode_i_links(inode->block) == 0 || inode->generation != inode->vol->generation)
		inode->vol->files.look_for_orphans = true;
}

void f2fs_inode_close(struct f2fs_inode *inode)
{
	struct f2fs_context *ctx;

	if (!inode)
		return;
	ctx = inode->vol->ctx;
	if (inode->is_past)
		inode->past.close(inode->past.user);
	else
		forget_handle(inode);
	for (unsigned i = 0; i < NODE_LEVELS; i++)
		mem_free(ctx, inode->node[i]);
	xattr_unload(inode);
	compress_unload(inode);
	mem_free(ctx, inode);
}

f2fs_nid_t f2fs_inode_number(const struct f2fs_inode *inode)
{
	return inode->ino;
}

struct f2fs_volume *f2fs_inode_volume(const struct f2fs_inode *inode)
{
	return inode->vol;
}

const uint8_t *f2fs_inode_raw(const struct f2fs_inode *inode)
{
	return inode->block;
}

/* 512-byte units: blocks beside the inode, and contents inside the inode of a file or directory (FORMAT files 2.7). */
static uint64_t sectors_of(const struct f2fs_inode *inode)
{
	const uint8_t *raw = inode->block;
	uint64_t sectors = (inode_i_blocks(raw) - 1) * (inode->vol->geo.block_size / 512);
	bool inside = (inode_type(inode) == MODE_REG && inode_has_inline(raw, FLAG_i_inline_inline_data)) ||
		      (inode_type(inode) == MODE_DIR && inode_has_inline(raw, FLAG_i_inline_inline_dentry));

	return inside ? sectors + div_ceil64(inode_i_size(raw), 512) : sectors;
}

static void fill_extra(const struct f2fs_inode *inode, struct f2fs_stat *out)
{
	const uint8_t *raw = inode->block, *extra = inode_extra(raw);
	const struct f2fs_geometry *geo = &inode->vol->geo;

	if (geometry_has(geo, F2FS_FEAT_PROJECT_QUOTA) && inode_has_extra(raw, extra_OFS_i_projid + 4))
		out->projid = extra_i_projid(extra);
	if (geometry_has(geo, F2FS_FEAT_INODE_CRTIME) && inode_has_extra(raw, extra_OFS_i_crtime_nsec + 4)) {
		out->has_crtime = 1;
		out->crtime.seconds = extra_i_crtime(extra);
		out->crtime.nanoseconds = extra_i_crtime_nsec(extra);
	}
	if (inode->layout.is_compressed) {
		out->is_compressed = 1;
		out->compress_algorithm = extra_i_compress_algorithm(extra);
		out->log_cluster_size = extra_i_log_cluster_size(extra);
	}
}

static void fill_device(const struct f2fs_inode *inode, struct f2fs_stat *out)
{
	unsigned type = inode_type(inode);
	struct devnum dev;

	if (type != MODE_CHR && type != MODE_BLK)
		return;
	devnum_decode(inode->block + inode->layout.slot_offset, &dev);
	out->rdev_major = dev.major;
	out->rdev_minor = dev.minor;
}

int inode_stat(struct f2fs_inode *inode, struct f2fs_stat *out)
{
	const uint8_t *raw = inode->block;
	int err;

	err = inode_sync(inode);
	if (err)
		return err;
	memset(out, 0, sizeof(*out));
	out->ino = inode->ino;
	out->mode = inode_i_mode(raw);
	out->nlink = inode_i_links(raw);
	out->uid = inode_i_uid(raw);
	out->gid = inode_i_gid(raw);
	out->flags = inode_i_flags(raw);
	out->generation = inode_i_generation(raw);
	out->size = inode_i_size(raw);
	out->blocks = sectors_of(inode);
	out->atime.seconds = inode_i_atime(raw);
	out->atime.nanoseconds = inode_i_atime_nsec(raw);
	out->mtime.seconds = inode_i_mtime(raw);
	out->mtime.nanoseconds = inode_i_mtime_nsec(raw);
	out->ctime.seconds = inode_i_ctime(raw);
	out->ctime.nanoseconds = inode_i_ctime_nsec(raw);
	out->advise = inode_i_advise(raw);
	out->inline_flags = inode_i_inline(raw);
	out->is_encrypted = inode_is_encrypted(inode);
	out->is_verity = (inode_i_advise(raw) & FLAG_i_advise_verity) != 0;
	out->is_casefold = inode_type(inode) == MODE_DIR && inode_is_casefold(inode);
	out->is_inline = inode_has_inline(raw, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry);
	fill_extra(inode, out);
	fill_device(inode, out);
	if (inode_type(inode) == MODE_LNK && out->is_encrypted) {
		const size_t room = (size_t)inode->vol->geo.block_size + 1;
		char *target = mem_alloc(inode->vol->ctx, room);
		size_t length;

		err = target ? inode_readlink(inode, target, room, &length) : F2FS_ERR_NOMEM;
		mem_free(inode->vol->ctx, target);
		if (err == F2FS_ERR_NOMEM)
			return err;
		if (!err) /* a damaged one keeps the size that is stored */
			out->size = length;
		error_clear(inode->vol->ctx);
	}
	return 0;
}

int f2fs_inode_stat(struct f2fs_inode *inode, struct f2fs_stat *out)
{
	error_clear(inode->vol->ctx);
	return inode_stat(inode, out);
}
