/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the bytes that hold the field of an address: superblocks, checkpoints, single blocks here, tables and nodes in
 * files of their own. Then find the field in them, by the tables of the format.
 */
#include <string.h>

#include "base/error.h"
#include "format/superblock.h"
#include "inject/nodes.h"
#include "inject/place.h"
#include "inject/finder.h"
#include "inject/run.h"
#include "inject/tables.h"

/* ---- superblock, checkpoint, block ---- */

static int copy_of(struct f2fs_inject *inject, const struct address *address, uint64_t *copy)
{
	*copy = 0;
	return address->bracket_count ? need_number(inject, address, 0, 3, copy) : 0;
}

static int place_sb(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint32_t second = inject->has_geo ? inject->geo.block_size : 4096;
	uint64_t copy;
	int err = copy_of(inject, address, &copy);

	if (err)
		return err;
	if (copy == 0)
		copy = inject->vol ? inject->vol->sb_copy + 1U : 1;
	out->at[0] = (copy == 2 ? second : 0) + SB_OFFSET;
	out->copies = 1;
	out->size = sb_SIZE;
	out->sum = SUM_SUPERBLOCK;
	place_add_scope(out, "superblock", 0, sb_SIZE, NULL);
	return 0;
}

/* First block of a pack: of the one in force, or as given. */
static int find_pack(struct f2fs_inject *inject, const struct address *address, f2fs_blk_t *start)
{
	uint64_t pack;
	int err = copy_of(inject, address, &pack);

	if (!err)
		err = need_geometry(inject);
	if (!err && pack == 0) {
		err = need_volume(inject);
		pack = err ? 1 : inject->vol->view->pack;
	}
	*start = inject->geo.cp_blkaddr + (pack == 2 ? F2FS_SEGMENT_BLOCKS : 0);
	return err;
}

/* Find the last block of a pack by its first block. It is the first one itself when that is impossible. */
static int find_foot(struct f2fs_inject *inject, f2fs_blk_t start, f2fs_blk_t *foot)
{
	uint8_t head[cp_SIZE];
	uint32_t total;
	int err = f2fs_device_read(inject->dev, (uint64_t)start * inject->geo.block_size, head, sizeof(head));

	if (err)
		return err;
	total = cp_cp_pack_total_block_count(head);
	*foot = start + (total > 1 && total <= F2FS_SEGMENT_BLOCKS ? total - 1 : 0);
	return 0;
}

static int place_cp(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	f2fs_blk_t start, foot;
	int err = find_pack(inject, address, &start);

	if (!err)
		err = find_foot(inject, start, &foot);
	if (!err)
		err = place_take_block(inject, start, out);
	if (err)
		return err;
	if (foot != start)
		out->at[out->copies++] = (uint64_t)foot * inject->geo.block_size;
	out->sum = SUM_CHECKPOINT;
	place_add_scope(out, "checkpoint", 0, cp_SIZE, NULL);
	return 0;
}

static int place_cp_foot(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	f2fs_blk_t start, foot;
	int err = find_pack(inject, address, &start);

	if (!err)
		err = find_foot(inject, start, &foot);
	if (!err)
		err = place_take_block(inject, foot, out);
	if (err)
		return err;
	out->sum = SUM_CHECKPOINT;
	place_add_scope(out, "checkpoint", 0, cp_SIZE, NULL);
	return 0;
}

static int place_block(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	uint64_t addr = 0;
	int err = need_geometry(inject);

	if (!err)
		err = need_number(inject, address, 0, inject->geo.end_blkaddr, &addr);
	return err ? err : place_take_block(inject, addr, out);
}

static const struct {
	const char *name;
	int (*find)(struct f2fs_inject *inject, const struct address *address, struct place *out);
} finders[] = {
	{ "sb", place_sb },
	{ "superblock", place_sb },
	{ "cp", place_cp },
	{ "checkpoint", place_cp },
	{ "cp_foot", place_cp_foot },
	{ "nat", place_nat },
	{ "sit", place_sit },
	{ "ssa", place_ssa },
	{ "nat_journal", place_nat_journal },
	{ "sit_journal", place_sit_journal },
	{ "orphan", place_orphan },
	{ "orphan_block", place_orphan_block },
	{ "inode", place_inode },
	{ "node", place_inode },
	{ "node_at", place_node_at },
	{ "dentry", place_dentry },
	{ "xattr", place_xattr },
	{ "file", place_file },
	{ "block", place_block },
};

int place_find(struct f2fs_inject *inject, const struct address *address, struct place *out)
{
	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < sizeof(finders) / sizeof(finders[0]); i++)
		if (!strcmp(finders[i].name, address->place))
			return finders[i].find(inject, address, out);
	return error_set(inject->ctx, F2FS_ERR_INVALID, "there is no structure '%s'", address->place);
}

/* ---- the field ---- */

/* Fields that share a number of the table, and other names of fields. */
static const struct {
	const char *structure, *name, *field;
	uint8_t shift, bits;
} parts[] = {
	{ "sit_entry", "valid_blocks", "vblocks", 0, 10 },
	{ "sit_entry", "type", "vblocks", 10, 6 },
	{ "sit_journal_entry", "valid_blocks", "vblocks", 0, 10 },
	{ "sit_journal_entry", "type", "vblocks", 10, 6 },
	{ "node_footer", "node_offset", "flag", 3, 29 },
	{ "node_footer", "is_cold", "flag", 0, 1 },
	{ "node_footer", "is_fsync", "flag", 1, 1 },
	{ "node_footer", "is_dentry", "flag", 2, 1 },
	{ "dentry", "hash", "hash_code", 0, 0 },
};

static const struct f2fs_field *field_of(const struct f2fs_struct *type, const char *name, struct spot *spot)
{
	const struct f2fs_field *field = f2fs_field_find(type, name);

	for (size_t i = 0; !field && i < sizeof(parts) / sizeof(parts[0]); i++)
		if (!strcmp(parts[i].structure, type->name) && !strcmp(parts[i].name, name)) {
			field = f2fs_field_find(type, parts[i].field);
			spot->shift = parts[i].shift;
			spot->bits = parts[i].bits;
		}
	return field;
}

/* Fields of the superblock that hold a table: devs[2].path, extension_list[0]. */
static bool find_nested(const struct address *address, struct spot *out)
{
	const struct address_part *part = &address->parts[0];
	const struct f2fs_struct *device = f2fs_struct_find("sb_device");
	const struct f2fs_field *inner;

	if (!strcmp(part->name, "extension_list") && part->has_index && part->index < 64) {
		out->field.offset += (uint32_t)part->index * 8;
		out->field.count = 8;
		out->is_bytes = true;
		return true;
	}
	if (strcmp(part->name, "devs") || !part->has_index || part->index >= 8 || address->part_count != 2)
		return false;
	inner = f2fs_field_find(device, address->parts[1].name);
	if (!inner)
		return false;
	out->field.offset += (uint32_t)part->index * device->size + inner->offset;
	out->field.name = inner->name;
	out->field.count = inner->count;
	out->field.type = inner->type;
	out->field.show = inner->show;
	out->is_bytes = inner->type == F2FS_FIELD_BYTES;
	return true;
}

static int take_index(struct f2fs_context *ctx, const struct address_part *part, struct spot *out)
{
	if (part->has_index) {
		if (part->index >= out->field.count)
			return error_set(ctx, F2FS_ERR_RANGE, "%s has %u elements", part->name,
					 (unsigned)out->field.count);
		out->index = (uint32_t)part->index;
		return 0;
	}
	out->is_bytes = out->field.type == F2FS_FIELD_BYTES;
	if (!out->is_bytes && out->field.count > 1)
		return error_set(ctx, F2FS_ERR_INVALID, "%s is an array: [INDEX] is missing", part->name);
	return 0;
}

static int find_in_scope(struct f2fs_context *ctx, const struct address *address, const struct place_scope *scope,
			 struct spot *out, bool *found)
{
	const struct address_part *part = &address->parts[scope->prefix ? 1 : 0];
	const struct f2fs_field *field;

	if (scope->prefix && (address->part_count != 2 || strcmp(address->parts[0].name, scope->prefix)))
		return 0;
	field = field_of(scope->type, part->name, out);
	if (!field || field->offset + (uint64_t)field->count * f2fs_field_width(field) > scope->limit)
		return 0;
	*found = true;
	out->field = *field;
	out->field.offset += scope->offset;
	memcpy(out->structure, scope->type->name, strlen(scope->type->name) + 1);
	if (find_nested(address, out))
		return 0;
	if (address->part_count == 2 && !scope->prefix)
		return error_set(ctx, F2FS_ERR_INVALID, "%s has no parts", part->name);
	return take_index(ctx, part, out);
}

/* i_addr and its like, and the bytes of the place as numbers. */
static int find_array(struct f2fs_context *ctx, const struct address *address, const struct place *place,
		      struct spot *out, bool *found)
{
	static const char *const names[] = { "u8", "u16", "u32", "u64" };
	const struct address_part *part = &address->parts[0];
	struct place_array array = { NULL, place->base, 0, 0, false };

	for (unsigned i = 0; i < place->array_count; i++)
		if (!strcmp(place->arrays[i].name, part->name))
			array = place->arrays[i];
	for (unsigned i = 0; i < 4; i++)
		if (!strcmp(names[i], part->name)) {
			array.name = names[i];
			array.width = (uint8_t)(1U << i);
			array.count = (place->size - place->base) / array.width;
		}
	if (!array.name || address->part_count != 1)
		return 0;
	*found = true;
	out->field.name = array.name;
	out->field.offset = array.offset;
	out->field.count = array.count;
	out->field.type = array.is_bytes ? F2FS_FIELD_BYTES : array.width;
	out->field.show = (uint8_t)(array.is_bytes ? F2FS_SHOW_TEXT : F2FS_SHOW_DEC);
	out->field.doc = "";
	memcpy(out->structure, address->place, ADDRESS_WORD);
	return take_index(ctx, part, out);
}

int spot_find(struct f2fs_context *ctx, const struct address *address, const struct place *place, struct spot *out)
{
	bool found = false;
	int err = 0;

	memset(out, 0, sizeof(*out));
	if (place->has_bit && !strcmp(address->parts[0].name, "used") && address->part_count == 1) {
		out->field.name = "used";
		out->field.offset = place->bit_offset;
		out->field.count = 1;
		out->field.type = F2FS_FIELD_U8;
		out->field.doc = "";
		out->shift = (uint8_t)place->bit;
		out->bits = 1;
		memcpy(out->structure, "dentry", sizeof("dentry"));
		return 0;
	}
	for (unsigned i = 0; !found && !err && i < place->scope_count; i++)
		err = find_in_scope(ctx, address, &place->scopes[i], out, &found);
	if (!found && !err)
		err = find_array(ctx, address, place, out, &found);
	if (!found && !err)
		err = error_set(ctx, F2FS_ERR_INVALID, "%s has no field '%s%s%s' here", address->place,
				address->parts[0].name, address->part_count > 1 ? "." : "",
				address->part_count > 1 ? address->parts[1].name : "");
	return err;
}
