/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find nodes, and fields in them or in blocks of files: inode fields, addresses, directory entries, extended
 * attributes.
 */
#include <f2fskit/file.h>
#include <string.h>

#include "base/error.h"
#include "format/dentry.h"
#include "format/xattr.h"
#include "inject/nodes.h"
#include "inject/finder.h"
#include "inject/run.h"

/* Read the bytes of a place; free them. */
static int load(struct f2fs_inject *inject, const struct place *place, uint8_t **out)
{
	uint8_t *bytes = mem_alloc(inject->ctx, place->size);
	int err = bytes ? f2fs_device_read(inject->dev, place->at[0], bytes, place->size) : F2FS_ERR_NOMEM;

	if (err)
		mem_free(inject->ctx, bytes);
	else
		*out = bytes;
	return err;
}

/* Take the block of a node at its NAT address. The contents of the block are not checked. */
static int take_node(struct f2fs_inject *inject, uint64_t nid, struct place *out, bool *is_inode)
{
	struct f2fs_nat_info nat;
	int err = f2fs_nat_lookup(inject->vol, (f2fs_nid_t)nid, &nat);

	if (err)
		return err;
	if (nat.block_addr == 0)
		return error_set(inject->ctx, F2FS_ERR_NOT_FOUND, "node id %llu is free", (unsigned long long)nid);
	*is_inode = nat.ino == nid;
	return place_take_block(inject, nat.block_addr, out);
}

/* Add the fields that an address can name in a node block. */
static void add_node_fields(const struct f2fs_geometry *geo, const uint8_t *block, bool is_inode, struct place *out)
{
	const uint32_t nids = inode_nids_offset(geo), words = node_bytes(geo) / 4;
	struct inode_layout layout;

	place_add_scope(out, "node_footer", node_bytes(geo), footer_SIZE, "footer");
	if (!is_inode) {
		place_add_array(out, "addr", 0, words, 4);
		place_add_array(out, "nid", 0, words, 4);
		return;
	}
	inode_layout(geo, block, &layout);
	out->sum = SUM_INODE;
	place_add_scope(out, "inode", 0, inode_SIZE, NULL);
	place_add_scope(out, "inode_extra", INODE_ADDR_OFFSET, inode_extra_size(block), NULL);
	place_add_scope(out, "inode_extra", INODE_ADDR_OFFSET, extra_SIZE, "extra"); /* in any inode */
	place_add_array(out, "i_addr", layout.slot_offset, (nids - layout.slot_offset) / 4, 4);
	place_add_array(out, "i_nid", nids, 5, 4);
}

int place_inode(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint64_t nid = 0;
	uint8_t *block;
	bool is_inode = false;
	int err = need_volume(inject);

	if (!err)
		err = need_number(inject, address, 0, inject->geo.max_nid, &nid);
	if (!err)
		err = take_node(inject, nid, out, &is_inode);
	if (!err)
		err = load(inject, out, &block);
	if (err)
		return err;
	add_node_fields(&inject->geo, block, is_inode || !strcmp(address->place, "inode"), out);
	mem_free(inject->ctx, block);
	return 0;
}

int place_node_at(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	const uint8_t *footer;
	uint64_t addr = 0;
	uint8_t *block;
	int err = need_geometry(inject);

	if (!err)
		err = need_number(inject, address, 0, inject->geo.end_blkaddr, &addr);
	if (!err)
		err = place_take_block(inject, addr, out);
	if (!err)
		err = load(inject, out, &block);
	if (err)
		return err;
	footer = node_footer(&inject->geo, block);
	add_node_fields(&inject->geo, block, footer_nid(footer) == footer_ino(footer), out);
	mem_free(inject->ctx, block);
	return 0;
}

/* ---- blocks of files ---- */

static int take_file_block(struct f2fs_inject *inject, f2fs_nid_t ino, uint64_t index, struct place *out)
{
	struct f2fs_inode *inode;
	f2fs_blk_t addr = 0;
	int err = f2fs_inode_open(inject->vol, ino, &inode);

	if (err)
		return err;
	err = f2fs_inode_block(inode, index, &addr);
	f2fs_inode_close(inode);
	if (!err && !geometry_is_main(&inject->geo, addr))
		return error_set(inject->ctx, F2FS_ERR_NOT_FOUND, "inode %u has no block %llu", (unsigned)ino,
				 (unsigned long long)index);
	return err ? err : place_take_block(inject, addr, out);
}

/* file[INO].u32[I]: the block that holds that number becomes the place, with an array of the numbers from 0 on. */
int place_file(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	static const struct {
		const char *name;
		unsigned bits;
	} widths[] = { { "u8", 0 }, { "u16", 1 }, { "u32", 2 }, { "u64", 3 } };
	const struct address_part *part = &address->parts[0];
	const uint32_t block_bits = inject->geo.block_bits;
	uint64_t ino = 0;
	int err = need_volume(inject);

	if (!err)
		err = need_number(inject, address, 0, inject->geo.max_nid, &ino);
	for (unsigned i = 0; !err && i < 4; i++)
		if (!strcmp(widths[i].name, part->name) && part->has_index)
			return take_file_block(inject, (f2fs_nid_t)ino, part->index >> (block_bits - i), out);
	return err ? err : error_set(inject->ctx, F2FS_ERR_INVALID, "file[INODE] has u8[], u16[], u32[] and u64[]");
}

/* ---- directory entries ---- */

/* Find an entry by name, or take a slot as it is, in one area. */
static bool find_slot(const struct dentry_area *area, const struct address_bracket *which, uint32_t *slot)
{
	struct dentry_ref ref;
	uint32_t next = 0;

	if (!which->is_text) {
		*slot = (uint32_t)which->number;
		return *slot < area->slots;
	}
	while (next < area->slots) {
		enum dentry_scan found = dentry_next(area, &next, &ref);

		if (found == DENTRY_FOUND && ref.name_len == which->length &&
		    memcmp(ref.name, which->text, which->length) == 0) {
			*slot = ref.slot;
			return true;
		}
	}
	return false;
}

static void add_dentry_fields(const struct dentry_area *area, const uint8_t *block, uint32_t slot, struct place *out)
{
	const uint32_t room = (area->slots - slot) * DENTRY_SLOT_BYTES;
	uint32_t entry = (uint32_t)(area->entries - block) + slot * dentry_SIZE;
	uint32_t length = dentry_name_len(block + entry);
	struct place_array name = { "name", (uint32_t)(area->names - block) + slot * DENTRY_SLOT_BYTES, 0, 1, true };

	name.count = length < room ? length : room;
	out->arrays[out->array_count++] = name;
	place_add_scope(out, "dentry", entry, dentry_SIZE, NULL);
	out->base = entry;
	out->has_bit = true;
	out->bit_offset = (uint32_t)(area->bitmap - block) + slot / 8;
	out->bit = slot % 8;
}

static int no_entry(struct f2fs_inject *inject, uint64_t ino, const struct address_bracket *which,
		    const uint8_t *inode)
{
	if (which->is_text && (inode_i_advise(inode) & FLAG_i_advise_encrypt))
		return error_set(inject->ctx, F2FS_ERR_ENCRYPTED,
				 "the names of directory inode %llu are encrypted: its entries go by their slots here",
				 (unsigned long long)ino);
	return error_set(inject->ctx, F2FS_ERR_NOT_FOUND, "directory inode %llu has no such entry",
			 (unsigned long long)ino);
}

/* Look at one block of a directory: is the entry in it? */
static int look_in_block(struct f2fs_inject *inject, const struct address_bracket *which, const struct place *place,
			 const uint8_t *bytes, struct place *out)
{
	struct dentry_area area;
	uint32_t slot;

	dentry_area_of_block(&inject->geo, bytes, &area);
	if (!find_slot(&area, which, &slot))
		return F2FS_ERR_NOT_FOUND;
	*out = *place;
	add_dentry_fields(&area, bytes, slot, out);
	return 0;
}

static int look_at(struct f2fs_inject *inject, const struct address_bracket *which, const struct place *place,
		   struct place *out)
{
	uint8_t *bytes;
	int err = load(inject, place, &bytes);

	if (err)
		return err;
	err = look_in_block(inject, which, place, bytes, out);
	mem_free(inject->ctx, bytes);
	return err;
}

/* Search all blocks that a file has, because its size does not limit them. */
static int find_name(struct f2fs_inject *inject, f2fs_nid_t ino, const struct address_bracket *which, struct place *out)
{
	struct f2fs_file_extent extent = { 0 };
	struct f2fs_inode *inode;
	int err = f2fs_inode_open(inject->vol, ino, &inode), found = F2FS_ERR_NOT_FOUND;

	if (err)
		return err;
	for (uint64_t at = 0; found == F2FS_ERR_NOT_FOUND; at = extent.file_block + extent.count) {
		err = f2fs_inode_extent(inode, at, &extent);
		if (err)
			break;
		for (uint64_t i = 0; extent.kind == F2FS_EXTENT_DATA && i < extent.count && found == F2FS_ERR_NOT_FOUND;
		     i++) {
			struct place place = { 0 };

			found = place_take_block(inject, extent.addr + (f2fs_blk_t)i, &place);
			if (!found)
				found = look_at(inject, which, &place, out);
		}
	}
	f2fs_inode_close(inode);
	return err ? err : found;
}

static int find_in_blocks(struct f2fs_inject *inject, f2fs_nid_t ino, const struct address_bracket *which,
			  struct place *out)
{
	const uint32_t per_block = inject->geo.dentries_per_block;
	struct address_bracket inner = *which;
	struct place place = { 0 };
	int err;

	if (which->is_text) {
		err = find_name(inject, ino, which, out);
	} else {
		inner.number = which->number % per_block;
		err = take_file_block(inject, ino, which->number / per_block, &place);
		if (!err)
			err = look_at(inject, &inner, &place, out);
	}
	return err;
}

/* The inode that the first bracket names, and its block, which is the caller's to free. */
static int load_inode(struct f2fs_inject *inject, const struct address *address, uint64_t *ino, struct place *out,
		      uint8_t **block)
{
	bool is_inode;
	int err = need_volume(inject);

	memset(out, 0, sizeof(*out));
	if (!err)
		err = need_number(inject, address, 0, inject->geo.max_nid, ino);
	if (!err)
		err = take_node(inject, *ino, out, &is_inode);
	return err ? err : load(inject, out, block);
}

int place_dentry(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	const struct address_bracket *which = &address->brackets[1];
	struct inode_layout layout;
	struct dentry_area area;
	struct place inode;
	uint64_t ino = 0;
	uint32_t slot;
	uint8_t *block;
	int err = address->bracket_count < 2
			  ? error_set(inject->ctx, F2FS_ERR_INVALID, "dentry[INODE] needs [\"NAME\"] or [SLOT]")
			  : load_inode(inject, address, &ino, &inode, &block);

	if (err)
		return err;
	if (inode_has_inline(block, FLAG_i_inline_inline_dentry)) {
		inode_layout(&inject->geo, block, &layout);
		dentry_area_of_inode(block, &layout, &area);
		*out = inode;
		out->sum = SUM_INODE;
		if (find_slot(&area, which, &slot))
			add_dentry_fields(&area, block, slot, out);
		else
			err = F2FS_ERR_NOT_FOUND;
	} else {
		err = find_in_blocks(inject, (f2fs_nid_t)ino, which, out);
	}
	if (err == F2FS_ERR_NOT_FOUND)
		err = no_entry(inject, ino, which, block);
	mem_free(inject->ctx, block);
	return err;
}

/* ---- extended attributes ---- */

/* Find byte `at` of the string: in the inode, or in the attribute node. It becomes the place. */
static int take_xattr_byte(struct f2fs_inject *inject, const struct place *inode, const struct inode_layout *layout,
			   f2fs_nid_t node, uint32_t at, struct place *out)
{
	bool is_inode;
	int err;

	if (at < layout->xattr_size) {
		*out = *inode;
		out->sum = SUM_INODE;
		out->base = layout->xattr_offset + at;
		return 0;
	}
	if (!node)
		return error_set(inject->ctx, F2FS_ERR_NOT_FOUND, "the inode has no such attribute");
	err = take_node(inject, node, out, &is_inode);
	out->base = at - layout->xattr_size;
	return err;
}

/* The whole string, of the inode and of its attribute node. */
static int load_string(struct f2fs_inject *inject, const uint8_t *block, const struct inode_layout *layout,
		       uint8_t **out, uint32_t *size)
{
	const uint32_t room = node_bytes(&inject->geo);
	f2fs_nid_t nid = inode_i_xattr_nid(block);
	struct place node;
	uint8_t *string = mem_zalloc(inject->ctx, (size_t)layout->xattr_size + room);
	bool is_inode;
	int err = 0;

	if (!string)
		return F2FS_ERR_NOMEM;
	memset(&node, 0, sizeof(node));
	memcpy(string, block + layout->xattr_offset, layout->xattr_size);
	*size = layout->xattr_size + (nid ? room : 0);
	if (nid) {
		err = take_node(inject, nid, &node, &is_inode);
		if (!err)
			err = f2fs_device_read(inject->dev, node.at[0], string + layout->xattr_size, room);
	}
	if (err)
		mem_free(inject->ctx, string);
	else
		*out = string;
	return err;
}

/* Offset in the string of an entry, by number or by stored name. */
static int find_entry(struct f2fs_inject *inject, const struct address_bracket *which, const uint8_t *string,
		      uint32_t size, uint32_t *offset)
{
	struct xattr_ref ref;
	uint32_t at = 0;

	for (uint64_t i = 0; xattr_next(string, size, &at, &ref) == XATTR_FOUND; i++)
		if (which->is_text ? ref.name_len == which->length && memcmp(ref.name, which->text, which->length) == 0
				   : i == which->number) {
			*offset = ref.offset;
			return 0;
		}
	return error_set(inject->ctx, F2FS_ERR_NOT_FOUND, "the inode has no such attribute");
}

int place_xattr(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	struct inode_layout layout;
	struct place inode;
	uint64_t ino = 0;
	uint32_t at = 0, size;
	uint8_t *block, *string;
	int err = load_inode(inject, address, &ino, &inode, &block);

	if (err)
		return err;
	inode_layout(&inject->geo, block, &layout);
	if (address->bracket_count > 1) {
		err = load_string(inject, block, &layout, &string, &size);
		if (!err) {
			err = find_entry(inject, &address->brackets[1], string, size, &at);
			mem_free(inject->ctx, string);
		}
	}
	if (!err)
		err = take_xattr_byte(inject, &inode, &layout, inode_i_xattr_nid(block), at, out);
	mem_free(inject->ctx, block);
	if (!err)
		place_add_scope(out, address->bracket_count > 1 ? "xattr_entry" : "xattr_header", out->base, out->size,
				NULL);
	return err;
}
