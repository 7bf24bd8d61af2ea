/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quota files: header, entries, and the way through the tree. Walks and checks are in quota_walk.c.
 */
#include "format/quota.h"

#include "format/quota_tree.h"
#include "format/structs.h"

static const struct {
	uint32_t magic;
	const char *name;
} types[] = {
	[QUOTA_USER] = { 0xD9C01F11, "user" },
	[QUOTA_GROUP] = { 0xD9C01927, "group" },
	[QUOTA_PROJECT] = { 0xD9C03F14, "project" },
};

#define TYPES (sizeof(types) / sizeof(types[0]))

const char *quota_type_name(enum quota_type type)
{
	return types[type].name;
}

const char *quota_problem_text(enum quota_problem_kind kind)
{
	static const char *const texts[QUOTA_PROBLEM_COUNT] = {
		[QUOTA_FINE] = "sound",
		[QUOTA_TOO_SHORT] = "file is shorter than its header says",
		[QUOTA_MAGIC] = "magic number is that of no quota file",
		[QUOTA_VERSION] = "unknown version",
		[QUOTA_FREE_HEAD] = "head of a free list is out of range",
		[QUOTA_REFERENCE] = "block reference is out of range",
		[QUOTA_SHARED] = "block is referenced twice",
		[QUOTA_NO_ENTRY] = "leaf lacks the entry that the tree promises",
		[QUOTA_LEAF_COUNT] = "leaf's count is not the number of its entries",
		[QUOTA_LOST_ENTRY] = "entry that the tree does not lead to",
		[QUOTA_FREE_LIST] = "free list is broken",
	};

	return texts[kind];
}

/* --- header --- */

static int set_problem(struct quota_file *file, enum quota_problem_kind kind)
{
	file->last_problem.kind = kind;
	file->last_problem.block = 0;
	file->last_problem.id = 0;
	return QUOTA_DAMAGED;
}

static bool is_list_head(const struct quota_file *file, uint32_t block)
{
	return block == 0 || quota_reference_is_valid(file, block);
}

uint32_t quota_magic(enum quota_type type)
{
	return types[type].magic;
}

bool quota_is_header(const uint8_t *raw, enum quota_type *type)
{
	for (unsigned i = 0; i < TYPES; i++)
		if (qhead_dqh_magic(raw) == types[i].magic) {
			*type = (enum quota_type)i;
			return true;
		}
	return false;
}

static int decode_header(struct quota_file *file, const uint8_t *raw, uint64_t size)
{
	enum quota_type type;

	if (!quota_is_header(raw, &type))
		return set_problem(file, QUOTA_MAGIC);
	if (qhead_dqh_version(raw) > 1)
		return set_problem(file, QUOTA_VERSION);
	file->type = type;
	file->version = qhead_dqh_version(raw);
	file->space_grace = qhead_dqi_bgrace(raw);
	file->inodes_grace = qhead_dqi_igrace(raw);
	file->blocks = qhead_dqi_blocks(raw);
	file->free_block = qhead_dqi_free_blk(raw);
	file->free_entry = qhead_dqi_free_entry(raw);
	if (file->blocks <= QUOTA_ROOT || file->blocks > size / QUOTA_BLOCK_SIZE)
		return set_problem(file, QUOTA_TOO_SHORT);
	if (!is_list_head(file, file->free_block) || !is_list_head(file, file->free_entry))
		return set_problem(file, QUOTA_FREE_HEAD);
	return QUOTA_OK;
}

int quota_open(struct quota_file *file, int (*read)(void *user, uint64_t offset, void *buf, size_t n), void *user,
	       uint64_t size)
{
	uint8_t raw[qhead_SIZE];
	int result;

	memset(file, 0, sizeof(*file));
	file->read = read;
	file->user = user;
	if (size < sizeof(raw))
		return set_problem(file, QUOTA_TOO_SHORT);
	result = read(user, 0, raw, sizeof(raw));
	return result == 0 ? decode_header(file, raw, size) : result;
}

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

int quota_lookup(struct quota_file *file, struct quota_work *work, uint32_t id, struct quota_entry *out)
{
	unsigned int i;
	uint32_t leaf;
	int result = quota_follow(file, work, id, &leaf);

	if (result == QUOTA_OK)
		result = quota_read_block(file, leaf, work->leaf);
	if (result != QUOTA_OK)
		return result;
	i = quota_leaf_find(file, work->leaf, id);
	if (i == quota_leaf_entries(file)) {
		file->last_problem = (struct quota_problem){ QUOTA_NO_ENTRY, leaf, id };
		return QUOTA_DAMAGED;
	}
	quota_entry_decode(file, quota_leaf_entry(file, work->leaf, i), out);
	return QUOTA_OK;
}
