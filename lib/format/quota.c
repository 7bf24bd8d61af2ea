/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quota files: header and lookup. The tree is in quota_tree.c, walks and checks are in quota_walk.c.
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
