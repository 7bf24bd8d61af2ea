/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changed NAT entries, in groups of ids that follow each other. New files get ids in a row, so most groups are full. A
 * group is small because changes of a large old volume may be far apart.
 */
#include "log/nat_changes.h"

#define GROUP_BITS 3
#define GROUP_IDS (1u << GROUP_BITS)

struct nat_group {
	f2fs_nid_t ino[GROUP_IDS];
	f2fs_blk_t block_addr[GROUP_IDS];
	uint8_t version[GROUP_IDS];
	uint8_t is_set; /* a bit for each */
};

void nat_changes_init(struct nat_changes *c, struct f2fs_context *ctx)
{
	map32_init(&c->index, ctx);
	chunks_init(&c->groups, ctx, sizeof(struct nat_group));
	c->count = 0;
}

void nat_changes_fini(struct nat_changes *c)
{
	map32_fini(&c->index);
	chunks_fini(&c->groups);
	c->count = 0;
}

static struct nat_group *find_group(const struct nat_changes *c, uint32_t key)
{
	const uint64_t *number = map32_find(&c->index, key);

	return number ? chunks_at(&c->groups, (size_t)*number) : NULL;
}

static void fill_entry(struct f2fs_nat_info *out, const struct nat_group *group, f2fs_nid_t nid)
{
	const unsigned item = nid % GROUP_IDS;

	*out = (struct f2fs_nat_info){
		.nid = nid,
		.ino = group->ino[item],
		.block_addr = group->block_addr[item],
		.version = group->version[item],
	};
}

bool nat_changes_find(const struct nat_changes *c, f2fs_nid_t nid, struct f2fs_nat_info *out)
{
	const struct nat_group *group = find_group(c, nid >> GROUP_BITS);

	if (!group || !(group->is_set >> nid % GROUP_IDS & 1))
		return false;
	if (out)
		fill_entry(out, group, nid);
	return true;
}

static struct nat_group *add_group(struct nat_changes *c, uint32_t key)
{
	struct nat_group *group = NULL;

	if (map32_set(&c->index, key, c->groups.count) == 0)
		group = chunks_push(&c->groups);
	if (!group)
		map32_remove(&c->index, key);
	return group;
}

int nat_changes_set(struct nat_changes *c, const struct f2fs_nat_info *entry)
{
	const uint32_t key = entry->nid >> GROUP_BITS;
	const unsigned item = entry->nid % GROUP_IDS;
	struct nat_group *group = find_group(c, key);

	if (!group)
		group = add_group(c, key);
	if (!group)
		return F2FS_ERR_NOMEM;
	c->count += !(group->is_set >> item & 1);
	group->is_set |= (uint8_t)(1u << item);
	group->ino[item] = entry->ino;
	group->block_addr[item] = entry->block_addr;
	group->version[item] = entry->version;
	return 0;
}

static int compare_keys(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

int nat_changes_walk_begin(struct nat_changes_walk *walk, const struct nat_changes *c)
{
	uint32_t key, *keys;
	uint64_t number;

	*walk = (struct nat_changes_walk){ .changes = c };
	vec_init(&walk->order, c->index.ctx, sizeof(*keys));
	if (c->index.count == 0)
		return 0;
	keys = vec_push(&walk->order, c->index.count);
	if (!keys)
		return F2FS_ERR_NOMEM;
	for (size_t at = 0; map32_each(&c->index, &at, &key, &number);)
		*keys++ = key;
	vec_sort(&walk->order, compare_keys);
	return 0;
}

bool nat_changes_walk_next(struct nat_changes_walk *walk, struct f2fs_nat_info *out)
{
	for (; walk->group < walk->order.count; walk->group++, walk->item = 0) {
		const uint32_t key = *(const uint32_t *)vec_at(&walk->order, walk->group);
		const struct nat_group *group = find_group(walk->changes, key);

		while (walk->item < GROUP_IDS && !(group->is_set >> walk->item & 1))
			walk->item++;
		if (walk->item == GROUP_IDS)
			continue;
		fill_entry(out, group, key << GROUP_BITS | walk->item++);
		return true;
	}
	return false;
}

void nat_changes_walk_end(struct nat_changes_walk *walk)
{
	vec_fini(&walk->order);
}
