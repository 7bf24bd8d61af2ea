/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walking a quota file, and checking it whole. The walk goes down the tree with one node in memory for each level; each
 * reference of the lowest level stands for exactly one id. The check notes the role of every block in a map, then looks
 * at all leaves (is each entry where the tree leads?), then at the free lists.
 */
#include "format/quota_tree.h"
#include "format/quota_walk.h"
#include "format/structs.h"

enum role { ROLE_NONE = 0, ROLE_NODE = 1, ROLE_LEAF = 2, ROLE_FREE = 3, ROLE_MASK = 3, IN_FREE_LIST = 4 };

struct walk {
	struct quota_file *file;
	struct quota_work *work;
	const struct quota_visitor *visitor;
	uint8_t *map;			  /* roles, four bits each; NULL: not checked */
	uint32_t at[QUOTA_LEVELS];	  /* the block in work->node[] */
	unsigned int index[QUOTA_LEVELS]; /* the reference being followed */
	unsigned int level;
	uint32_t leaf_at;      /* the block in work->leaf, 0: none */
	uint32_t nodes_read;   /* at most one for each block of the file */
	uint64_t entries_seen; /* at most as many as all blocks could hold */
};

static int report(struct walk *w, enum quota_problem_kind kind, uint32_t block, uint32_t id)
{
	w->file->last_problem = (struct quota_problem){ kind, block, id };
	if (!w->visitor->problem)
		return QUOTA_DAMAGED;
	return w->visitor->problem(w->visitor->user, &w->file->last_problem);
}

static unsigned int get_role(const struct walk *w, uint32_t block)
{
	return w->map[block / 2] >> (block % 2 * 4) & 15;
}

static void add_role(struct walk *w, uint32_t block, unsigned int role)
{
	w->map[block / 2] = (uint8_t)(w->map[block / 2] | role << (block % 2 * 4));
}

/* Note that a block has this role; false if it has another one already (or this, and it may not be had twice). */
static bool take_role(struct walk *w, uint32_t block, enum role role)
{
	unsigned int has;

	if (!w->map)
		return true;
	has = get_role(w, block) & ROLE_MASK;
	if (has == ROLE_NONE)
		add_role(w, block, role);
	return has == ROLE_NONE || (has == ROLE_LEAF && role == ROLE_LEAF);
}

/* The id whose way leads over the current references; levels below the current one count as 0. */
static uint32_t current_id(const struct walk *w)
{
	uint32_t id = 0;

	for (unsigned int level = 0; level < QUOTA_LEVELS; level++)
		id = id << 8 | (level <= w->level ? w->index[level] : 0);
	return id;
}

static int visit_entry(struct walk *w, uint32_t leaf, uint32_t id)
{
	struct quota_file *file = w->file;
	struct quota_entry entry;
	unsigned int i;
	int result;

	if (leaf != w->leaf_at) {
		w->leaf_at = 0;
		result = quota_read_block(file, leaf, w->work->leaf);
		if (result != 0)
			return result;
		w->leaf_at = leaf;
	}
	i = quota_leaf_find(file, w->work->leaf, id);
	if (i == quota_leaf_entries(file))
		return report(w, QUOTA_NO_ENTRY, leaf, id);
	if (!w->visitor->entry)
		return 0;
	quota_entry_decode(file, quota_leaf_entry(file, w->work->leaf, i), &entry);
	return w->visitor->entry(w->visitor->user, &entry);
}

/* Load a node and make it the current one, or report that it cannot be one. */
static int enter_node(struct walk *w, uint32_t block, unsigned int level)
{
	int result;

	if (w->nodes_read == w->file->blocks || !take_role(w, block, ROLE_NODE))
		return report(w, QUOTA_SHARED, block, current_id(w));
	w->nodes_read++;
	result = quota_read_block(w->file, block, w->work->node[level]);
	if (result != 0)
		return result;
	w->at[level] = block;
	w->index[level] = 0;
	w->level = level;
	return 0;
}

/* Follow the current reference of the current node; it moves on to the next one unless it goes down. */
static int step(struct walk *w)
{
	unsigned int level = w->level;
	uint32_t block = quota_reference(w->work->node[level], w->index[level]), id = current_id(w);
	int result = 0;

	if (block == 0) {
		w->index[level]++;
		return 0;
	}
	if (!quota_reference_is_valid(w->file, block)) {
		result = report(w, QUOTA_REFERENCE, w->at[level], id);
	} else if (level < QUOTA_LEVELS - 1) {
		result = enter_node(w, block, level + 1);
	} else if (!take_role(w, block, ROLE_LEAF)) {
		result = report(w, QUOTA_SHARED, block, id);
	} else {
		w->entries_seen++;
		result = visit_entry(w, block, id);
	}
	if (w->level == level)
		w->index[level]++;
	return result;
}

/* More of anything than the file can hold: blocks are shared, and continuing could take for ever. */
static bool is_endless(const struct walk *w)
{
	return w->nodes_read == w->file->blocks ||
	       w->entries_seen > (uint64_t)w->file->blocks * quota_leaf_entries(w->file);
}

static int walk_tree(struct walk *w)
{
	int result = enter_node(w, QUOTA_ROOT, 0);

	while (result == 0) {
		if (w->index[w->level] == QUOTA_REFERENCES) {
			if (w->level == 0)
				break;
			w->level--;
			w->index[w->level]++;
		} else {
			result = step(w);
			if (result == 0 && is_endless(w)) {
				result = report(w, QUOTA_SHARED, w->at[w->level], current_id(w));
				break;
			}
		}
	}
	return result;
}

static void walk_init(struct walk *w, struct quota_file *file, struct quota_work *work, uint8_t *map,
		      const struct quota_visitor *visitor)
{
	memset(w, 0, sizeof(*w));
	w->file = file;
	w->work = work;
	w->map = map;
	w->visitor = visitor;
}

int quota_walk(struct quota_file *file, struct quota_work *work, const struct quota_visitor *visitor)
{
	struct walk w;

	walk_init(&w, file, work, NULL, visitor);
	return walk_tree(&w);
}

/* --- the complete check --- */

size_t quota_check_size(const struct quota_file *file)
{
	return file->blocks / 2 + 1;
}

/* Does the tree lead from the entry's id to this very entry? */
static int check_entry_is_found(struct walk *w, uint32_t leaf, unsigned int i)
{
	uint32_t id = quota_entry_id(quota_leaf_entry(w->file, w->work->leaf, i)), found = 0;
	int result = quota_follow(w->file, w->work, id, &found);

	if (result < 0)
		return result;
	if (result == QUOTA_OK && found == leaf && quota_leaf_find(w->file, w->work->leaf, id) == i)
		return 0;
	return report(w, QUOTA_LOST_ENTRY, leaf, id);
}

static int check_leaf(struct walk *w, uint32_t leaf)
{
	unsigned int used = 0, count = quota_leaf_entries(w->file);
	int result = quota_read_block(w->file, leaf, w->work->leaf);

	for (unsigned int i = 0; i < count && result == 0; i++) {
		if (!quota_entry_is_used(w->file, quota_leaf_entry(w->file, w->work->leaf, i)))
			continue;
		used++;
		result = check_entry_is_found(w, leaf, i);
	}
	if (result == 0 && qleaf_dqdh_entries(w->work->leaf) != used)
		result = report(w, QUOTA_LEAF_COUNT, leaf, 0);
	return result;
}

/* Blocks that are free: linked in one direction, with no other role. */
static int check_free_blocks(struct walk *w)
{
	uint32_t block = w->file->free_block;

	while (block != 0) {
		int result;

		if (!quota_reference_is_valid(w->file, block) || !take_role(w, block, ROLE_FREE))
			return report(w, QUOTA_FREE_LIST, block, 0);
		result = quota_read_block(w->file, block, w->work->leaf);
		if (result != 0)
			return result;
		block = qleaf_dqdh_next_free(w->work->leaf);
	}
	return 0;
}

/* Leaves with room: linked in both directions. */
static int check_free_entries(struct walk *w)
{
	uint32_t block = w->file->free_entry, previous = 0;

	while (block != 0) {
		int result;

		if (!quota_reference_is_valid(w->file, block) || get_role(w, block) != ROLE_LEAF)
			return report(w, QUOTA_FREE_LIST, block, 0);
		add_role(w, block, IN_FREE_LIST);
		result = quota_read_block(w->file, block, w->work->leaf);
		if (result != 0)
			return result;
		if (qleaf_dqdh_prev_free(w->work->leaf) != previous ||
		    qleaf_dqdh_entries(w->work->leaf) >= quota_leaf_entries(w->file))
			return report(w, QUOTA_FREE_LIST, block, 0);
		previous = block;
		block = qleaf_dqdh_next_free(w->work->leaf);
	}
	return 0;
}

int quota_check(struct quota_file *file, struct quota_work *work, uint8_t *map, const struct quota_visitor *visitor)
{
	struct walk w;
	int result;

	memset(map, 0, quota_check_size(file));
	walk_init(&w, file, work, map, visitor);
	result = walk_tree(&w);
	for (uint32_t block = QUOTA_ROOT + 1; block < file->blocks && result == 0; block++)
		if (get_role(&w, block) == ROLE_LEAF)
			result = check_leaf(&w, block);
	if (result == 0)
		result = check_free_blocks(&w);
	if (result == 0)
		result = check_free_entries(&w);
	return result;
}
