/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the tree of a quota file: blocks, references, leaves and their entries.
 */
#include "format/quota_tree.h"

#include "format/structs.h"

/* --- entries --- */

static size_t entry_size(const struct quota_file *file)
{
	return file->version == 0 ? 48 : quota_SIZE;
}

unsigned int quota_leaf_entries(const struct quota_file *file)
{
	return (unsigned int)((QUOTA_BLOCK_SIZE - qleaf_SIZE) / entry_size(file));
}

const uint8_t *quota_leaf_entry(const struct quota_file *file, const uint8_t *leaf, unsigned int i)
{
	return leaf + qleaf_SIZE + i * entry_size(file);
}

bool quota_entry_is_used(const struct quota_file *file, const uint8_t *raw)
{
	for (size_t i = 0; i < entry_size(file); i++)
		if (raw[i] != 0)
			return true;
	return false;
}

uint32_t quota_entry_id(const uint8_t *raw)
{
	return quota_dqb_id(raw); /* the same place in both versions */
}

static void decode_v0(const uint8_t *raw, struct quota_entry *out)
{
	out->inodes_hard = get_le32(raw + 4);
	out->inodes_soft = get_le32(raw + 8);
	out->inodes = get_le32(raw + 12);
	out->space_hard = get_le32(raw + 16);
	out->space_soft = get_le32(raw + 20);
	out->space = get_le64(raw + 24);
	out->space_grace = get_le64(raw + 32);
	out->inodes_grace = get_le64(raw + 40);
}

static void decode_v1(const uint8_t *raw, struct quota_entry *out)
{
	out->inodes_hard = quota_dqb_ihardlimit(raw);
	out->inodes_soft = quota_dqb_isoftlimit(raw);
	out->inodes = quota_dqb_curinodes(raw);
	out->space_hard = quota_dqb_bhardlimit(raw);
	out->space_soft = quota_dqb_bsoftlimit(raw);
	out->space = quota_dqb_curspace(raw);
	out->space_grace = quota_dqb_btime(raw);
	out->inodes_grace = quota_dqb_itime(raw);
}

/* An entry of zeros would be a free slot: id 0 without usage and limits is stored with a time of 1. */
static bool is_escaped_zero(const struct quota_entry *e)
{
	return e->id == 0 && e->inodes_grace == 1 && e->space_grace == 0 && e->inodes == 0 && e->inodes_soft == 0 &&
	       e->inodes_hard == 0 && e->space == 0 && e->space_soft == 0 && e->space_hard == 0;
}

void quota_entry_decode(const struct quota_file *file, const uint8_t *raw, struct quota_entry *out)
{
	out->id = quota_entry_id(raw);
	if (file->version == 0)
		decode_v0(raw, out);
	else
		decode_v1(raw, out);
	if (is_escaped_zero(out))
		out->inodes_grace = 0;
}

unsigned int quota_leaf_find(const struct quota_file *file, const uint8_t *leaf, uint32_t id)
{
	unsigned int i = 0, count = quota_leaf_entries(file);

	for (; i < count; i++) {
		const uint8_t *raw = quota_leaf_entry(file, leaf, i);

		if (quota_entry_id(raw) == id && quota_entry_is_used(file, raw))
			break;
	}
	return i;
}

/* --- tree --- */

bool quota_reference_is_valid(const struct quota_file *file, uint32_t block)
{
	return block > QUOTA_ROOT && block < file->blocks;
}

int quota_read_block(const struct quota_file *file, uint32_t block, uint8_t buf[QUOTA_BLOCK_SIZE])
{
	return file->read(file->user, (uint64_t)block * QUOTA_BLOCK_SIZE, buf, QUOTA_BLOCK_SIZE);
}

uint32_t quota_reference(const uint8_t *node, unsigned int index)
{
	return get_le32(node + 4 * (size_t)index);
}

int quota_follow(struct quota_file *file, struct quota_work *work, uint32_t id, uint32_t *leaf)
{
	uint32_t block = QUOTA_ROOT;

	for (unsigned int level = 0; level < QUOTA_LEVELS; level++) {
		int result = quota_read_block(file, block, work->node[level]);
		uint32_t next;

		if (result != 0)
			return result;
		next = quota_reference(work->node[level], id >> (8 * (QUOTA_LEVELS - 1 - level)) & 0xFF);
		if (next == 0)
			return QUOTA_NOT_FOUND;
		if (!quota_reference_is_valid(file, next)) {
			file->last_problem = (struct quota_problem){ QUOTA_REFERENCE, block, id };
			return QUOTA_DAMAGED;
		}
		block = next;
	}
	*leaf = block;
	return QUOTA_OK;
}
