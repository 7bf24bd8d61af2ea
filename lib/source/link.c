/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with several names: which inode of the volume a file of the source became.
 */
#include "source/populate.h"

static uint32_t link_key(const struct populate_item *item)
{
	uint64_t mixed = (item->ino ^ item->dev << 40) * 0x9E3779B97F4A7C15u;

	return (uint32_t)(mixed >> 33);
}

f2fs_nid_t populate_link_find(const struct populate *p, const struct populate_item *item)
{
	const uint64_t *first;

	if (!item->has_links || !(p->opt.keep & F2FS_KEEP_LINKS))
		return F2FS_NO_NID;
	first = map32_find(&p->link_index, link_key(item));
	for (uint64_t i = first ? *first : 0; i != 0;) {
		const struct populate_link *link = vec_at(&p->links, (size_t)i - 1);

		if (link->ino == item->ino && link->dev == item->dev)
			return link->to;
		i = link->next;
	}
	return F2FS_NO_NID;
}

int populate_link_add(struct populate *p, const struct populate_item *item, f2fs_nid_t to)
{
	const uint64_t *first;
	struct populate_link *link;

	if (!item->has_links || !(p->opt.keep & F2FS_KEEP_LINKS))
		return 0;
	first = map32_find(&p->link_index, link_key(item));
	link = vec_push(&p->links, 1);
	if (!link)
		return F2FS_ERR_NOMEM;
	link->dev = item->dev;
	link->ino = item->ino;
	link->to = to;
	link->next = first ? *first : 0;
	return map32_set(&p->link_index, link_key(item), p->links.count);
}
