/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the class of an inode by a digest of its fields. Neighbours on the device often have the same class.
 */
#include "facts/inode_class.h"

#include <string.h>

#include "base/error.h"
#include "facts/facts.h"

#define MOST_CLASSES 65536u

_Static_assert(sizeof(struct inode_class) == 32, "no padding between the members");

void inode_classes_init(struct inode_classes *all, struct f2fs_context *ctx)
{
	vec_init(&all->list, ctx, sizeof(struct inode_class));
	map32_init(&all->index, ctx);
	all->last = 0;
}

void inode_classes_fini(struct inode_classes *all)
{
	vec_fini(&all->list);
	map32_fini(&all->index);
}

static uint32_t digest_of(const struct inode_class *class)
{
	uint32_t words[sizeof(*class) / sizeof(uint32_t)];
	uint64_t x = 0;

	memcpy(words, class, sizeof(words));
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		x = (x ^ words[i]) * 0x9E3779B97F4A7C15u;
		x ^= x >> 32;
	}
	return (uint32_t)x & 0x7FFFFFFFu; /* map32 has no key of all ones */
}

static bool is_same(const struct inode_class *a, const struct inode_class *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

int inode_classes_find(struct inode_classes *all, const struct inode_fact *inode, uint16_t *number)
{
	const struct inode_class class = { .iflags = inode->iflags,
					   .uid = inode->uid,
					   .gid = inode->gid,
					   .projid = inode->projid,
					   .policy = inode->policy,
					   .mode = inode->mode,
					   .slots = inode->slots,
					   .node_slots = inode->node_slots,
					   .type = inode->type,
					   .advise = inode->advise,
					   .inlines = inode->inlines };
	const uint64_t *found;
	struct inode_class *added;
	uint32_t digest;

	*number = all->last;
	if (all->list.count && is_same(inode_classes_at(all, all->last), &class))
		return 0;
	digest = digest_of(&class);
	found = map32_find(&all->index, digest);
	if (found) {
		*number = (uint16_t)*found;
		if (!is_same(inode_classes_at(all, *number), &class))
			return F2FS_ERR_RANGE;
		all->last = *number;
		return 0;
	}
	if (all->list.count == MOST_CLASSES)
		return F2FS_ERR_RANGE;
	*number = (uint16_t)all->list.count;
	if (map32_set(&all->index, digest, *number) != 0)
		return F2FS_ERR_NOMEM;
	added = vec_push(&all->list, 1);
	if (!added)
		return F2FS_ERR_NOMEM;
	*added = class;
	all->last = *number;
	return 0;
}
