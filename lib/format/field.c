/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reflection: the field tables as data, and reading and writing any field by its row.
 */
#include <f2fskit/format.h>
#include <string.h>

#include "base/bytes.h"

#define SCALAR(type, name, off, show, doc) { #name, off, 1, F2FS_FIELD_##type, F2FS_SHOW_##show, doc },
#define ARRAY(type, name, off, n, show, doc) { #name, off, n, F2FS_FIELD_##type, F2FS_SHOW_##show, doc },
#define BYTES(name, off, n, show, doc) { #name, off, n, F2FS_FIELD_BYTES, F2FS_SHOW_##show, doc },
static const struct f2fs_field fields_superblock[] = {
#include "format/superblock.def"
};
static const struct f2fs_field fields_sb_device[] = {
#include "format/sb_device.def"
};
static const struct f2fs_field fields_checkpoint[] = {
#include "format/checkpoint.def"
};
static const struct f2fs_field fields_orphan_tail[] = {
#include "format/orphan_tail.def"
};
static const struct f2fs_field fields_nat_entry[] = {
#include "format/nat_entry.def"
};
static const struct f2fs_field fields_sit_entry[] = {
#include "format/sit_entry.def"
};
static const struct f2fs_field fields_summary_entry[] = {
#include "format/summary_entry.def"
};
static const struct f2fs_field fields_summary_footer[] = {
#include "format/summary_footer.def"
};
static const struct f2fs_field fields_nat_journal_entry[] = {
#include "format/nat_journal_entry.def"
};
static const struct f2fs_field fields_sit_journal_entry[] = {
#include "format/sit_journal_entry.def"
};
static const struct f2fs_field fields_inode[] = {
#include "format/inode.def"
};
static const struct f2fs_field fields_inode_extra[] = {
#include "format/inode_extra.def"
};
static const struct f2fs_field fields_node_footer[] = {
#include "format/node_footer.def"
};
static const struct f2fs_field fields_dentry[] = {
#include "format/dentry.def"
};
static const struct f2fs_field fields_xattr_header[] = {
#include "format/xattr_header.def"
};
static const struct f2fs_field fields_xattr_entry[] = {
#include "format/xattr_entry.def"
};
static const struct f2fs_field fields_cluster_header[] = {
#include "format/cluster_header.def"
};
static const struct f2fs_field fields_fscrypt_v1[] = {
#include "format/fscrypt_v1.def"
};
static const struct f2fs_field fields_fscrypt_v2[] = {
#include "format/fscrypt_v2.def"
};
static const struct f2fs_field fields_verity_xattr[] = {
#include "format/verity_xattr.def"
};
static const struct f2fs_field fields_verity_descriptor[] = {
#include "format/verity_descriptor.def"
};
static const struct f2fs_field fields_quota_header[] = {
#include "format/quota_header.def"
};
static const struct f2fs_field fields_quota_leaf[] = {
#include "format/quota_leaf.def"
};
static const struct f2fs_field fields_quota_entry[] = {
#include "format/quota_entry.def"
};
#undef SCALAR
#undef ARRAY
#undef BYTES

static const struct f2fs_struct structs[] = {
#define STRUCT(name, prefix, size, section, doc)                                                                       \
	{ #name, doc, section, size, (uint32_t)(sizeof(fields_##name) / sizeof(fields_##name[0])), fields_##name },
#include "format/structs.def"
#undef STRUCT
};

const struct f2fs_struct *f2fs_struct_at(unsigned index)
{
	return index < sizeof(structs) / sizeof(structs[0]) ? &structs[index] : NULL;
}

const struct f2fs_struct *f2fs_struct_find(const char *name)
{
	for (unsigned i = 0; i < sizeof(structs) / sizeof(structs[0]); i++)
		if (strcmp(structs[i].name, name) == 0)
			return &structs[i];
	return NULL;
}

const struct f2fs_field *f2fs_field_find(const struct f2fs_struct *type, const char *name)
{
	for (uint32_t i = 0; i < type->field_count; i++)
		if (strcmp(type->fields[i].name, name) == 0)
			return &type->fields[i];
	return NULL;
}

uint32_t f2fs_field_width(const struct f2fs_field *field)
{
	switch (field->type) {
	case F2FS_FIELD_U16:
		return 2;
	case F2FS_FIELD_U32:
		return 4;
	case F2FS_FIELD_U64:
	case F2FS_FIELD_S64:
		return 8;
	default:
		return 1;
	}
}

uint64_t f2fs_field_get(const struct f2fs_field *field, const uint8_t *raw, uint32_t index)
{
	const uint8_t *p = raw + field->offset + (size_t)index * f2fs_field_width(field);

	if (index >= field->count)
		return 0;
	switch (field->type) {
	case F2FS_FIELD_U8:
		return *p;
	case F2FS_FIELD_U16:
		return get_le16(p);
	case F2FS_FIELD_U32:
		return get_le32(p);
	case F2FS_FIELD_U64:
	case F2FS_FIELD_S64:
		return get_le64(p);
	default:
		return 0;
	}
}

void f2fs_field_set(const struct f2fs_field *field, uint8_t *raw, uint32_t index, uint64_t value)
{
	uint8_t *p = raw + field->offset + (size_t)index * f2fs_field_width(field);

	if (index >= field->count)
		return;
	switch (field->type) {
	case F2FS_FIELD_U8:
		*p = (uint8_t)value;
		break;
	case F2FS_FIELD_U16:
		put_le16(p, (uint16_t)value);
		break;
	case F2FS_FIELD_U32:
		put_le32(p, (uint32_t)value);
		break;
	case F2FS_FIELD_U64:
	case F2FS_FIELD_S64:
		put_le64(p, value);
		break;
	default:
		break;
	}
}
