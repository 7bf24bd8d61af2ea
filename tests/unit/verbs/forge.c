/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Forging volumes: node blocks and NAT entries are written where the format has them, past all tables that only a
 * writer needs.
 */
#include "forge.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/bitmap.h"
#include "base/namehash.h"
#include "format/dentry.h"

#define FORGE_SIZE (64u << 20)
#define MOST_BLOCK 4096u

static void write_at(struct forge *f, uint64_t offset, const void *data, size_t length)
{
	assert_int_equal(f2fs_device_write(f->dev, offset, data, length), 0);
}

void forge_open(struct forge *f, const struct f2fs_host *host)
{
	const struct f2fs_mkfs_options options = {
		F2FS_SIZED(f2fs_mkfs_options),
		.has_time = 1, .time = 1000000000, .checkpoint_version = 1, .uuid = (const uint8_t *)"0123456789abcdef"
	};
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_volume *vol;

	memset(f, 0, sizeof(*f));
	assert_int_equal(f2fs_context_open(host, &f->ctx), 0);
	assert_int_equal(f2fs_device_open_memory(f->ctx, FORGE_SIZE, &f->dev), 0);
	device.device = f->dev;
	assert_int_equal(f2fs_mkfs_write(f->ctx, &device, 1, &options, NULL), 0);
	vol = forge_volume(f, NULL);
	f->geo = *f2fs_volume_geometry(vol);
	f2fs_volume_close(vol);
	f->root = f->geo.root_ino;
	f->next_nid = 100;
	f->next_block = (f2fs_blk_t)f->geo.end_blkaddr;
	/* an inline root is easier to put names into */
	uint8_t block[MOST_BLOCK];

	forge_node_read(f, f->root, block);
	memset(block + INODE_ADDR_OFFSET, 0, f->geo.block_size - footer_SIZE - INODE_ADDR_OFFSET);
	inode_set_i_inline(block, FLAG_i_inline_inline_dentry);
	inode_set_i_size(block, 3488);
	inode_set_i_blocks(block, 1);
	inode_set_i_ext_len(block, 0);
	forge_node_write(f, f->root, block);
}

void forge_close(struct forge *f)
{
	f2fs_device_close(f->dev);
	f2fs_context_close(f->ctx);
}

struct f2fs_volume *forge_volume(struct forge *f, struct f2fs_device *dev)
{
	struct f2fs_volume *vol;

	if (f2fs_volume_open(f->ctx, dev ? dev : f->dev, NULL, &vol))
		fail_msg("%s", f2fs_context_error(f->ctx)->message);
	return vol;
}

f2fs_blk_t forge_block(struct forge *f, const void *data, size_t length)
{
	assert_true(--f->next_block > f->geo.main_blkaddr + 6 * F2FS_SEGMENT_BLOCKS);
	if (data)
		write_at(f, (uint64_t)f->next_block * f->geo.block_size, data, length);
	return f->next_block;
}

static f2fs_blk_t address_of(struct forge *f, f2fs_nid_t nid)
{
	struct f2fs_volume *vol = forge_volume(f, NULL);
	struct f2fs_nat_info entry;

	assert_int_equal(f2fs_nat_lookup(vol, nid, &entry), 0);
	f2fs_volume_close(vol);
	return entry.block_addr;
}

void forge_node_read(struct forge *f, f2fs_nid_t nid, uint8_t *block)
{
	uint64_t offset = (uint64_t)address_of(f, nid) * f->geo.block_size;

	assert_int_equal(f2fs_device_read(f->dev, offset, block, f->geo.block_size), 0);
}

void forge_node_write(struct forge *f, f2fs_nid_t nid, const uint8_t *block)
{
	write_at(f, (uint64_t)address_of(f, nid) * f->geo.block_size, block, f->geo.block_size);
}

/* Take a node id whose block is at hand, and list it in the NAT's first copy. */
static f2fs_nid_t new_node(struct forge *f, f2fs_nid_t ino, uint32_t node_offset, uint8_t *block)
{
	f2fs_nid_t nid = f->next_nid++;
	uint8_t *footer = node_footer_w(&f->geo, block), entry[nat_SIZE] = { 0 };
	f2fs_blk_t table = geometry_nat_block(&f->geo, nid / f->geo.nat_per_block, 0);

	footer_set_nid(footer, nid);
	footer_set_ino(footer, ino ? ino : nid);
	footer_set_flag(footer, node_offset << 3);
	footer_set_cp_ver(footer, 1);
	nat_set_ino(entry, ino ? ino : nid);
	nat_set_block_addr(entry, forge_block(f, block, f->geo.block_size));
	write_at(f, (uint64_t)table * f->geo.block_size + (uint64_t)(nid % f->geo.nat_per_block) * nat_SIZE, entry,
		 sizeof(entry));
	return nid;
}

f2fs_nid_t forge_inode(struct forge *f, uint32_t mode)
{
	uint8_t block[MOST_BLOCK] = { 0 };

	inode_set_i_mode(block, (uint16_t)mode);
	inode_set_i_links(block, (mode & MODE_TYPE) == MODE_DIR ? 2 : 1);
	inode_set_i_blocks(block, 1);
	inode_set_i_mtime(block, 1234567890);
	inode_set_i_mtime_nsec(block, 987654321);
	inode_set_i_atime(block, 1111111111);
	if ((mode & MODE_TYPE) == MODE_DIR) {
		inode_set_i_inline(block, FLAG_i_inline_inline_dentry);
		inode_set_i_size(block, 3488);
	} else if ((mode & MODE_TYPE) == MODE_REG || (mode & MODE_TYPE) == MODE_LNK) {
		inode_set_i_inline(block, FLAG_i_inline_inline_data);
	}
	return new_node(f, 0, 0, block);
}

f2fs_nid_t forge_direct_node(struct forge *f, f2fs_nid_t ino, uint32_t node_offset)
{
	uint8_t block[MOST_BLOCK] = { 0 };

	return new_node(f, ino, node_offset, block);
}

/* The first of n free slots in a row. */
static uint32_t free_slots(const uint8_t *bitmap, uint32_t slots, uint32_t n)
{
	for (uint32_t i = 0, run = 0; i < slots; i++) {
		run = lsb_test(bitmap, i) ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	fail_msg("no room in the directory");
	return 0;
}

void forge_name(struct forge *f, f2fs_nid_t dir, const char *name, size_t length, f2fs_nid_t ino)
{
	uint8_t block[MOST_BLOCK], child[MOST_BLOCK];
	struct dentry_inline_geometry shape;
	struct inode_layout layout;
	uint32_t n = dentry_slots_of((uint32_t)(length ? length : 1)), slot;
	uint8_t *area, *entry;

	forge_node_read(f, ino, child);
	if (ino != f->root && ino != dir) {
		inode_set_i_pino(child, dir);
		forge_node_write(f, ino, child);
	}
	forge_node_read(f, dir, block);
	inode_layout(&f->geo, block, &layout);
	dentry_inline_geometry(layout.inline_size, &shape);
	area = block + layout.inline_offset;
	slot = free_slots(area, shape.slots, n);
	entry = area + shape.entry_offset + (size_t)slot * dentry_SIZE;
	dentry_set_hash_code(entry, namehash_plain((const uint8_t *)name, length));
	dentry_set_ino(entry, ino);
	dentry_set_name_len(entry, (uint16_t)length);
	dentry_set_file_type(entry, (uint8_t)f2fs_type_of_mode(inode_i_mode(child)));
	memcpy(area + shape.name_offset + (size_t)slot * DENTRY_SLOT_BYTES, name, length);
	while (n-- > 0)
		lsb_set(area, slot + n);
	forge_node_write(f, dir, block);
}

f2fs_nid_t forge_entry(struct forge *f, f2fs_nid_t dir, const char *name, uint32_t mode, const char *data)
{
	f2fs_nid_t ino = forge_inode(f, mode);
	uint8_t block[MOST_BLOCK];
	struct inode_layout layout;

	forge_name(f, dir, name, strlen(name), ino);
	if (!data)
		return ino;
	forge_node_read(f, ino, block);
	inode_layout(&f->geo, block, &layout);
	memcpy(block + layout.inline_offset, data, strlen(data));
	inode_set_i_size(block, strlen(data));
	inode_set_i_inline(block, FLAG_i_inline_inline_data | FLAG_i_inline_data_exist);
	forge_node_write(f, ino, block);
	return ino;
}

void forge_slots(struct forge *f, f2fs_nid_t ino, uint64_t size, const uint32_t *slots, unsigned count)
{
	uint8_t block[MOST_BLOCK];
	struct inode_layout layout;

	forge_node_read(f, ino, block);
	inode_set_i_inline(block, 0);
	inode_set_i_size(block, size);
	inode_layout(&f->geo, block, &layout);
	for (unsigned i = 0; i < count; i++)
		put_le32(block + layout.slot_offset + (size_t)i * 4, slots[i]);
	inode_set_i_blocks(block, 1 + count);
	forge_node_write(f, ino, block);
}

void forge_set(struct forge *f, f2fs_nid_t ino, const char *field, uint64_t value)
{
	const struct f2fs_struct *type = f2fs_struct_find("inode");
	const struct f2fs_field *row = f2fs_field_find(type, field);
	uint8_t block[MOST_BLOCK];

	assert_non_null(row);
	forge_node_read(f, ino, block);
	f2fs_field_set(row, block, 0, value);
	forge_node_write(f, ino, block);
}
