/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Take shapes from a volume, and copy them. */
#include "bench/plain_shape.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "format/dentry.h"
#include "format/flags.h"
#include "format/node.h"
#include "format/structs.h"

#define SMALL_BYTES (UINT64_C(64) << 20)

/* ---- a volume with one inode of each level, and with all its siblings */

static int make_children(struct f2fs_volume *vol, const char *path, uint32_t count, unsigned mode)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new), .mode = (uint16_t)mode };
	struct f2fs_inode *parent;
	int err = f2fs_lookup(vol, path, 0, &parent);

	for (uint32_t i = 0; !err && i < count; i++) {
		char name[16];
		const int length = snprintf(name, sizeof(name), "%0*u", SHAPE_DIGITS, i);

		err = f2fs_create(parent, name, (size_t)length, &spec, NULL);
	}
	f2fs_inode_close(parent);
	return err;
}

static int take_shape(struct f2fs_volume *vol, struct f2fs_device *dev, const char *path, struct shape *shape)
{
	struct f2fs_inode *inode;
	int err = f2fs_lookup(vol, path, 0, &inode);
	const uint32_t blocks = err ? 0 : (uint32_t)(inode_i_size(f2fs_inode_raw(inode)) / SHAPE_BLOCK);

	memset(shape, 0, sizeof(*shape));
	if (!err)
		memcpy(shape->inode, f2fs_inode_raw(inode), SHAPE_BLOCK);
	for (uint32_t i = 0; !err && i < blocks; i++) {
		f2fs_blk_t addr = 0;

		err = f2fs_inode_block(inode, i, &addr);
		if (err || addr == 0)
			continue;
		if (shape->count == SHAPE_BLOCKS)
			err = F2FS_ERR_RANGE;
		else
			err = f2fs_device_read(dev, (uint64_t)addr * SHAPE_BLOCK, shape->blocks[shape->count],
					       SHAPE_BLOCK);
		shape->slots[shape->count++] = (uint16_t)i;
	}
	f2fs_inode_close(inode);
	return err;
}

int shapes_make(struct f2fs_context *ctx, const uint32_t *fanout, struct shape *shapes)
{
	static const char *const paths[PLAIN_LEVELS] = { "/", "/000", "/000/000", "/000/000/000" };
	const struct f2fs_mkfs_options options = { F2FS_SIZED(f2fs_mkfs_options) };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_volume *vol = NULL;
	int err = f2fs_device_open_memory(ctx, SMALL_BYTES, &device.device);

	if (!err)
		err = f2fs_mkfs_write(ctx, &device, 1, &options, NULL);
	if (!err)
		err = f2fs_volume_open(ctx, device.device, NULL, &vol);
	for (unsigned i = 0; !err && i + 1 < PLAIN_LEVELS; i++)
		err = make_children(vol, paths[i], fanout[i], i + 2 < PLAIN_LEVELS ? 0040755 : 0100644);
	if (!err)
		err = f2fs_volume_commit(vol);
	for (unsigned i = 0; !err && i < PLAIN_LEVELS; i++)
		err = take_shape(vol, device.device, paths[i], &shapes[i]);
	f2fs_volume_close(vol);
	f2fs_device_close(device.device);
	return err;
}

/* ---- copies */

static uint32_t number_of(const struct dentry_ref *ref)
{
	uint32_t number = 0;

	for (unsigned i = 0; i < SHAPE_DIGITS; i++)
		number = number * 10 + (uint32_t)(ref->name[i] - '0');
	return number;
}

/* Make the entries of an area, which is in block, lead to the family. */
static void rename_entries(uint8_t *block, const struct dentry_area *area, const struct family *family)
{
	struct dentry_ref ref;
	uint32_t slot = 0;

	while (dentry_next(area, &slot, &ref) == DENTRY_FOUND) {
		uint8_t *entry = block + (area->entries - block) + (size_t)ref.slot * dentry_SIZE;

		if (ref.name_len == SHAPE_DIGITS)
			dentry_set_ino(entry, family->first + number_of(&ref));
		else
			dentry_set_ino(entry, ref.name_len == 1 ? family->ino : family->parent);
	}
}

/* The root has no number. */
static void put_name(uint8_t *inode, uint32_t number)
{
	if (inode_i_namelen(inode) != SHAPE_DIGITS)
		return;
	for (unsigned i = SHAPE_DIGITS; i-- > 0; number /= 10)
		inode_i_name_w(inode)[i] = (uint8_t)('0' + number % 10);
}

void shape_inode(const struct shape *shape, const struct f2fs_geometry *geo, const struct family *family,
		 f2fs_blk_t addr, f2fs_blk_t entries, uint8_t *out)
{
	struct inode_layout layout;
	struct dentry_area area;
	uint8_t *footer = node_footer_w(geo, out);

	memcpy(out, shape->inode, SHAPE_BLOCK);
	inode_set_i_pino(out, family->parent);
	put_name(out, family->name);
	footer_set_nid(footer, family->ino);
	footer_set_ino(footer, family->ino);
	footer_set_next_blkaddr(footer, addr + 1);
	if ((inode_i_mode(out) & MODE_TYPE) != MODE_DIR)
		return;
	inode_layout(geo, out, &layout);
	for (uint32_t i = 0; i < shape->count; i++)
		put_le32(out + layout.slot_offset + shape->slots[i] * 4, entries + i);
	if (!inode_has_inline(out, FLAG_i_inline_inline_dentry))
		return;
	dentry_area_of_inode(out, &layout, &area);
	rename_entries(out, &area, family);
}

void shape_entries(const struct shape *shape, const struct f2fs_geometry *geo, const struct family *family, uint32_t i,
		   uint8_t *out)
{
	struct dentry_area area;

	memcpy(out, shape->blocks[i], SHAPE_BLOCK);
	dentry_area_of_block(geo, out, &area);
	rename_entries(out, &area, family);
}
