/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make links for files with several names: the first extracted name is remembered until the last one was met. Only
 * inodes with several names take memory, and only until all of their names were met.
 */
#include "extract/link.h"
#include "extract/run.h"
#include "sink/dir.h"

#define NO_LINK UINT32_MAX

struct extract_link *extract_link_find(struct extract *x, f2fs_nid_t ino)
{
	uint64_t *index = map32_find(&x->link_index, ino);

	return index ? vec_at(&x->links, (size_t)*index) : NULL;
}

/* A free slot of the list: a used one again, or a new one. */
static struct extract_link *new_slot(struct extract *x)
{
	struct extract_link *link;

	if (x->free_link != NO_LINK) {
		link = vec_at(&x->links, x->free_link);
		x->free_link = (uint32_t)link->names_left;
		return link;
	}
	return vec_push(&x->links, 1);
}

static void free_slot(struct extract *x, struct extract_link *link)
{
	mem_free(x->ctx, link->first.name);
	link->first.name = NULL;
	link->first.dir = NULL;
	link->names_left = x->free_link;
	x->free_link = (uint32_t)(link - (struct extract_link *)x->links.items);
}

void extract_links_init(struct extract *x)
{
	map32_init(&x->link_index, x->ctx);
	vec_init(&x->links, x->ctx, sizeof(struct extract_link));
	x->free_link = NO_LINK;
}

int extract_link_add(struct extract *x, const struct sink_entry *entry)
{
	struct extract_link *link;
	char *name = mem_strdup(x->ctx, entry->substitute[0] ? entry->substitute : entry->name);
	int err;

	if (!name)
		return F2FS_ERR_NOMEM;
	link = new_slot(x);
	if (!link) {
		mem_free(x->ctx, name);
		return F2FS_ERR_NOMEM;
	}
	*link = (struct extract_link){ .first = { .name = name, .strip = x->target->strip },
				       .names_left = entry->names - 1 };
	err = map32_set(&x->link_index, entry->stat.ino, (uint64_t)(link - (struct extract_link *)x->links.items));
	if (err)
		free_slot(x, link);
	else
		link->first.dir = entry->dir ? sink_dir_ref(entry->dir) : NULL;
	return err;
}

int extract_link_used(struct extract *x, f2fs_nid_t ino)
{
	struct extract_link *link = extract_link_find(x, ino);
	struct sink_dir *dir;

	if (!link || --link->names_left > 0)
		return 0;
	dir = link->first.dir;
	map32_remove(&x->link_index, ino);
	free_slot(x, link);
	return sink_dir_put(&x->sink, dir);
}

int extract_links_end(struct extract *x)
{
	int err = 0;

	for (size_t i = 0; i < x->links.count && !err; i++) {
		struct extract_link *link = vec_at(&x->links, i);
		struct sink_dir *dir = link->first.dir;

		link->first.dir = NULL;
		err = sink_dir_put(&x->sink, dir);
	}
	return err;
}

void extract_links_fini(struct extract *x)
{
	for (size_t i = 0; i < x->links.count; i++) {
		struct extract_link *link = vec_at(&x->links, i);

		sink_dir_drop(&x->sink, link->first.dir);
		mem_free(x->ctx, link->first.name);
	}
	vec_fini(&x->links);
	map32_fini(&x->link_index);
}
