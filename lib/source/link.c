/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with several names: map a file of the source to the inode made of it.
 */
#include "source/link.h"

static uint32_t link_key(const struct source_item *item)
{
	uint64_t mixed = (item->ino ^ item->dev << 40) * 0x9E3779B97F4A7C15u;

	return (uint32_t)(mixed >> 33);
}

void source_links_init(struct source_links *links, struct f2fs_context *ctx, bool is_wanted)
{
	links->is_wanted = is_wanted;
	vec_init(&links->list, ctx, sizeof(struct source_link));
	map32_init(&links->index, ctx);
}

void source_links_fini(struct source_links *links)
{
	vec_fini(&links->list);
	map32_fini(&links->index);
}

f2fs_nid_t source_link_find(const struct source_links *links, const struct source_item *item)
{
	const uint64_t *first;

	if (!item->has_links || !links->is_wanted)
		return F2FS_NO_NID;
	first = map32_find(&links->index, link_key(item));
	for (uint64_t i = first ? *first : 0; i != 0;) {
		const struct source_link *link = vec_at(&links->list, (size_t)i - 1);

		if (link->ino == item->ino && link->dev == item->dev)
			return link->to;
		i = link->next;
	}
	return F2FS_NO_NID;
}

int source_link_add(struct source_links *links, const struct source_item *item, f2fs_nid_t to)
{
	const uint64_t *first;
	struct source_link *link;

	if (!item->has_links || !links->is_wanted)
		return 0;
	first = map32_find(&links->index, link_key(item));
	link = vec_push(&links->list, 1);
	if (!link)
		return F2FS_ERR_NOMEM;
	link->dev = item->dev;
	link->ino = item->ino;
	link->to = to;
	link->next = first ? *first : 0;
	return map32_set(&links->index, link_key(item), links->list.count);
}
