/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * File contents: inline, blocks, holes, clusters; symlink targets.
 */
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "file/compress.h"
#include "file/crypto.h"
#include "file/data_read.h"
#include "file/inode_sync.h"
#include "file/map_read.h"
#include "file/page_store.h"
#include "volume/block_read.h"

static int check_run(struct f2fs_inode *inode, uint64_t file_block, f2fs_blk_t addr, uint64_t blocks)
{
	const struct f2fs_geometry *geo = &inode->vol->geo;

	if (geometry_is_main(geo, addr) && addr + blocks <= geo->end_blkaddr)
		return 0;
	return inode_corrupt(inode, RULE_NODE_ADDR, "file block %llu of inode %u points at %u",
			     (unsigned long long)file_block, (unsigned)inode->ino, (unsigned)addr);
}

/* One cluster's share of a read; returns how many bytes it gave in *done. */
static int read_cluster(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length, size_t *done)
{
	const uint64_t bytes = (uint64_t)inode->layout.cluster_blocks << inode->vol->geo.block_bits;
	const uint8_t *data;
	size_t within = (size_t)(offset % bytes);
	int err = compress_read(inode, offset / bytes, &data);

	if (err)
		return err;
	*done = length < bytes - within ? length : (size_t)(bytes - within);
	memcpy(buffer, data + within, *done);
	return 0;
}

/* Is a file block one of a compressed cluster? A cluster may be entered in its middle: its head decides. */
static int is_in_cluster(struct f2fs_inode *inode, uint64_t block, bool *out)
{
	struct map_run run;
	int err = map_find(inode, block - block % inode->layout.cluster_blocks, &run);

	if (!err)
		*out = run.slots && compress_is_cluster(inode, get_le32(run.slots));
	return err;
}

/* Shorten an extent of a compressed file to the cluster that it begins in. */
static void end_with_cluster(const struct f2fs_inode *inode, struct f2fs_file_extent *extent)
{
	const uint64_t rest = inode->layout.cluster_blocks - extent->file_block % inode->layout.cluster_blocks;

	if (extent->count > rest)
		extent->count = rest;
}

/* How a reader wants encrypted contents: deciphered, or as they are stored. */
enum form { FORM_CLEAR, FORM_STORED };

static int read_waiting(struct f2fs_inode *inode, const struct f2fs_file_extent *extent, uint64_t within,
			uint8_t *buffer, size_t length, enum form form)
{
	const uint8_t *page = inode_page(inode, extent->file_block);

	if (form == FORM_STORED && crypto_has_contents(inode->block))
		return crypto_seal_part(inode, extent->file_block, page, within, buffer, length);
	memcpy(buffer, page + within, length);
	return 0;
}

static int read_extent(struct f2fs_inode *inode, const struct f2fs_file_extent *extent, uint64_t within,
		       uint8_t *buffer, size_t length, enum form form)
{
	const uint32_t block_size = inode->vol->geo.block_size;
	uint64_t blocks;
	int err;

	switch (extent->kind) {
	case F2FS_EXTENT_HOLE:
	case F2FS_EXTENT_RESERVED:
		memset(buffer, 0, length);
		return 0;
	case F2FS_EXTENT_WAITING:
		return read_waiting(inode, extent, within, buffer, length, form);
	default:
		blocks = (within + length + block_size - 1) / block_size;
		err = check_run(inode, extent->file_block, extent->addr, blocks);
		if (!err)
			err = inode_judge(inode, extent->file_block, extent->addr, blocks);
		if (err || form == FORM_STORED || !crypto_has_contents(inode->block))
			return err ? err : volume_read(inode->vol, extent->addr, within, buffer, length);
		return crypto_read(inode, extent->file_block, extent->addr, within, buffer, length);
	}
}

/* The longest piece of a read that one extent covers. */
static int read_piece(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length, size_t *done,
		      enum form form)
{
	const uint32_t bits = inode->vol->geo.block_bits;
	const uint64_t block = offset >> bits, within = offset & (inode->vol->geo.block_size - 1);
	struct f2fs_file_extent extent;
	bool is_packed = false;
	uint64_t room;
	int err = map_extent(inode, block, (within + length + inode->vol->geo.block_size - 1) >> bits, &extent);

	if (err == F2FS_ERR_NOT_FOUND) { /* after the last block: zeros */
		error_clear(inode->vol->ctx);
		memset(buffer, 0, length);
		*done = length;
		return 0;
	}
	if (!err && inode->layout.is_compressed && extent.kind != F2FS_EXTENT_WAITING) {
		err = is_in_cluster(inode, block, &is_packed);
		end_with_cluster(inode, &extent);
	}
	if (err)
		return err;
	if (is_packed)
		return read_cluster(inode, offset, buffer, length, done);
	if (extent.kind == F2FS_EXTENT_WAITING)
		extent.count = 1; /* each is memory of its own */
	room = (extent.count << bits) - within;
	*done = length < room ? length : (size_t)room;
	return read_extent(inode, &extent, within, buffer, *done, form);
}

static void read_inline(const struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length)
{
	uint32_t size = inode->layout.inline_size;
	size_t n = 0;

	if (offset < size) {
		n = length < size - offset ? length : (size_t)(size - offset);
		memcpy(buffer, inode->block + inode->layout.inline_offset + offset, n);
	}
	memset(buffer + n, 0, length - n);
}

static int read_all(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length, enum form form)
{
	if (inode_has_inline(inode->block, FLAG_i_inline_inline_data | FLAG_i_inline_inline_dentry)) {
		read_inline(inode, offset, buffer, length);
		return 0;
	}
	while (length > 0) {
		size_t done = 0;
		int err = read_piece(inode, offset, buffer, length, &done, form);

		if (!err)
			err = progress_tick(inode->vol->ctx, "read", done);
		if (err)
			return err;
		offset += done;
		buffer += done;
		length -= done;
	}
	return 0;
}

int data_read(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length)
{
	return read_all(inode, offset, buffer, length, FORM_CLEAR);
}

int inode_read(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	uint64_t size;
	int err;

	err = inode_sync(inode);
	if (err)
		return err;
	size = inode_i_size(inode->block);
	switch (inode_type(inode)) {
	case MODE_REG:
		break;
	case MODE_DIR:
		return error_set(ctx, F2FS_ERR_IS_DIR, "inode %u is a directory", (unsigned)inode->ino);
	default:
		return error_set(ctx, F2FS_ERR_WRONG_TYPE, "inode %u is not a regular file", (unsigned)inode->ino);
	}
	if (size > 0) { /* refuse the whole read, rather than return only the holes of an encrypted file */
		err = crypto_check_contents(inode);
		if (err)
			return err;
	}
	if (offset >= size) {
		*done = 0;
		return 0;
	}
	if (length > size - offset)
		length = (size_t)(size - offset);
	err = data_read(inode, offset, buffer, length);
	if (!err)
		*done = length;
	return err;
}

int f2fs_inode_read(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done)
{
	error_clear(inode->vol->ctx);
	return inode_read(inode, offset, buffer, length, done);
}

int f2fs_inode_read_raw(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	unsigned type = inode_type(inode);
	uint64_t limit;
	int err;

	error_clear(ctx);
	err = inode_sync(inode);
	if (err)
		return err;
	if (type != MODE_REG && type != MODE_DIR && type != MODE_LNK)
		return error_set(ctx, F2FS_ERR_INVALID, "inode %u has no contents", (unsigned)inode->ino);
	limit = node_max_file_blocks(&inode->vol->geo, inode->layout.node_slots) << inode->vol->geo.block_bits;
	if (offset >= limit || length > limit - offset)
		return error_set(ctx, F2FS_ERR_RANGE, "a file ends before byte %llu", (unsigned long long)limit);
	err = read_all(inode, offset, buffer, length, FORM_STORED);
	if (!err)
		*done = length;
	return err;
}

int inode_readlink(struct f2fs_inode *inode, char *buffer, size_t size, size_t *length)
{
	struct f2fs_context *ctx = inode->vol->ctx;
	uint64_t stored;
	uint8_t *raw;
	int err;

	err = inode_sync(inode);
	if (err)
		return err;
	stored = inode_i_size(inode->block);
	if (inode_type(inode) != MODE_LNK)
		return error_set(ctx, F2FS_ERR_WRONG_TYPE, "inode %u is not a symbolic link", (unsigned)inode->ino);
	if (stored > inode->vol->geo.block_size)
		return inode_corrupt(inode, RULE_SYMLINK_SIZE, "%llu bytes", (unsigned long long)stored);
	raw = mem_alloc(ctx, (size_t)stored + 2);
	if (!raw)
		return F2FS_ERR_NOMEM;
	err = data_read(inode, 0, raw, (size_t)stored);
	if (!err && inode_is_encrypted(inode)) {
		uint32_t n = stored >= 2 ? get_le16(raw) : 0;

		if (stored < 3 || n == 0 || n > stored - 2)
			err = inode_corrupt(inode, RULE_SYMLINK_SIZE, "%u bytes of ciphertext in %llu", (unsigned)n,
					    (unsigned long long)stored);
		else
			err = crypto_show(inode, 0, raw + 2, n, buffer, size, length);
	} else if (!err && memchr(raw, 0, (size_t)stored)) {
		/* the kernel shows the target up to the first NUL */
		stored = (uint64_t)((uint8_t *)memchr(raw, 0, (size_t)stored) - raw);
	}
	if (!err && !inode_is_encrypted(inode)) {
		if (stored >= size) {
			err = error_set(ctx, F2FS_ERR_RANGE, "the target has %llu bytes", (unsigned long long)stored);
		} else {
			memcpy(buffer, raw, (size_t)stored);
			buffer[stored] = '\0';
			*length = (size_t)stored;
		}
	}
	mem_free(ctx, raw);
	return err;
}

int f2fs_inode_readlink(struct f2fs_inode *inode, char *buffer, size_t size, size_t *length)
{
	error_clear(inode->vol->ctx);
	return inode_readlink(inode, buffer, size, length);
}
