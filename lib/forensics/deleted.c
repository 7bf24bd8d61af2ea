/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files. A file is a use of an inode number: number and generation. Each ended use is listed by its newest
 * remaining version, or the one before it if that was emptied by the deletion. Then come the names that are left
 * without an inode.
 */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "forensics/past_entries.h"
#include "forensics/past_names.h"
#include "forensics/version_list.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

struct deletion {
	struct f2fs_past *past;
	struct past_names names;
	struct past_entries entries;
	struct vec order; /* struct past_node: inode blocks of a number, by generation, then as they were */
	char *path;
	char *link;	  /* PAST_PATH_ROOM bytes */
	struct vec text;  /* char: paths of further names, NUL-terminated */
	struct vec links; /* const char *: they */
	int (*visit)(void *user, const struct f2fs_deleted *file);
	void *user;
};

/* The versions of one use of a number: inode blocks, the oldest first. */
struct use {
	const struct past_node *nodes;
	size_t count;
	bool is_only; /* the number was never used otherwise, as far as is known */
	unsigned sources;
};

/* Find the generation in use. *is_known is false when the number is in use but its block is unreadable or invalid. */
static bool find_live(struct f2fs_past *past, f2fs_nid_t ino, uint32_t *generation, bool *is_known)
{
	struct f2fs_volume *vol = past->vol;
	struct f2fs_nat_info entry;
	const uint8_t *block;

	*is_known = true;
	if (nat_get(vol, ino, &entry) == 0 && entry.block_addr == 0)
		return false;
	*is_known = geometry_is_main(&vol->geo, entry.block_addr) && volume_peek(vol, entry.block_addr, &block) == 0 &&
		    footer_nid(node_footer(&vol->geo, block)) == ino;
	if (*is_known)
		*generation = inode_i_generation(block);
	return true;
}

static bool is_orphan(const struct f2fs_volume *vol, f2fs_nid_t ino)
{
	for (size_t i = 0; i < vol->view->orphans.count; i++)
		if (*(f2fs_nid_t *)vec_at(&vol->view->orphans, i) == ino)
			return true;
	return false;
}

/* Was the file emptied on its way out in this version? */
static bool is_emptied(struct f2fs_past *past, f2fs_blk_t addr)
{
	const uint8_t *block;

	return volume_peek(past->vol, addr, &block) == 0 && inode_i_links(block) == 0 && inode_i_size(block) == 0;
}

/* Entries that name the file: the one that agrees with the inode's own record makes the path sure. */
static void take_entries(struct deletion *d, const struct f2fs_version *v, struct f2fs_deleted *out)
{
	size_t count;
	struct past_entry *items = past_entries_of(&d->entries, v->ino, &count);

	for (size_t i = 0; i < count; i++) {
		const uint8_t *name = vec_at(&d->entries.text, items[i].name);

		if (items[i].length != v->name_len || memcmp(name, v->name, v->name_len) != 0 ||
		    items[i].dir != v->parent)
			continue;
		items[i].is_taken = 1;
		out->sources |= F2FS_DELETED_ENTRY;
	}
}

/* The most names that a version had. */
static uint32_t most_links(struct f2fs_past *past, const struct use *use)
{
	uint32_t most = 0;

	for (size_t i = use->count; i-- > 0 && use->count - i <= 1024;) {
		const uint8_t *block;

		work_note(past->vol->ctx);
		if (volume_peek(past->vol, use->nodes[i].addr, &block) == 0 && inode_i_links(block) > most)
			most = inode_i_links(block);
	}
	return most;
}

/* Further names of a file, by entries that nobody else can be meant by. */
static int take_links(struct deletion *d, const struct use *use, struct f2fs_deleted *out)
{
	size_t count, at = 0;
	struct past_entry *items = past_entries_of(&d->entries, out->version.ino, &count);
	int err = 0, state;

	d->text.count = d->links.count = 0;
	if (!use->is_only || out->type == F2FS_TYPE_DIRECTORY || count < 2)
		return 0;
	out->max_links = most_links(d->past, use);
	for (size_t i = 0; i < count && out->max_links > 1 && !err; i++) {
		size_t n;
		char *to;

		if (items[i].is_taken || items[i].type != out->type)
			continue;
		items[i].is_taken = 1;
		err = past_names_path(&d->names, items[i].dir, vec_at(&d->entries.text, items[i].name), items[i].length,
				      items[i].is_cipher, d->link, &state);
		n = strlen(d->link) + 1;
		to = err ? NULL : vec_push(&d->text, n);
		if (!err && (!to || !vec_push(&d->links, 1)))
			err = F2FS_ERR_NOMEM;
		if (!err)
			memcpy(to, d->link, n);
	}
	for (size_t i = 0; i < d->links.count; i++) { /* the text has moved while it grew */
		const char *link = vec_at(&d->text, at);

		*(const char **)vec_at(&d->links, i) = link;
		at += strlen(link) + 1;
	}
	out->links = d->links.items;
	out->link_count = (uint32_t)d->links.count;
	return err;
}

static int tell(struct deletion *d, f2fs_blk_t addr, const struct use *use)
{
	struct f2fs_volume *vol = d->past->vol;
	struct f2fs_deleted file = { .path = d->path,
				     .versions = (uint32_t)use->count,
				     .sources = use->sources | F2FS_DELETED_NODE };
	const uint8_t *block;
	int err = version_describe(d->past, addr, &file.version), state;

	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO)
		return 0;
	if (!err)
		err = volume_peek(vol, addr, &block);
	if (!err) /* the block may leave the cache meanwhile: everything that is needed of it is taken first */
		err = past_names_of_inode(&d->names, block, d->path, &state);
	if (err)
		return err == F2FS_ERR_IO ? 0 : err;
	take_entries(d, &file.version, &file);
	file.path_state = state == F2FS_PATH_LIKELY && (file.sources & F2FS_DELETED_ENTRY) ? F2FS_PATH_SURE : state;
	file.confidence = file.version.confidence;
	file.type = (uint8_t)f2fs_type_of_mode((uint16_t)file.version.stat.mode);
	err = take_links(d, use, &file);
	return err ? err : d->visit(d->user, &file);
}

static int compare_uses(const void *a, const void *b)
{
	const struct past_node *x = a, *y = b;

	if (x->place != y->place)
		return x->place < y->place ? -1 : 1;
	if (x->age != y->age)
		return x->age > y->age ? -1 : 1;
	return (x->addr > y->addr) - (x->addr < y->addr);
}

/* The uses of a number that are gone. */
static int tell_uses(struct deletion *d, f2fs_nid_t ino)
{
	size_t count;
	const struct past_node *nodes = past_find(d->past, ino, ino, &count), *kept;
	const bool orphan = is_orphan(d->past->vol, ino);
	uint32_t generation = 0;
	bool is_known, is_live = find_live(d->past, ino, &generation, &is_known);
	int err = 0;

	if (count == 0 || !is_known)
		return 0;
	d->order.count = 0;
	if (!vec_push(&d->order, count))
		return F2FS_ERR_NOMEM;
	memcpy(d->order.items, nodes, count * sizeof(*nodes));
	vec_sort(&d->order, compare_uses);
	kept = d->order.items;
	for (size_t first = 0, end; first < count && !err; first = end) {
		struct use use = { .nodes = &kept[first] };
		size_t best;

		for (end = first + 1; end < count && kept[end].place == kept[first].place; end++)
			;
		if (is_live && kept[first].place == generation && !orphan)
			continue;
		best = end - 1;
		if (best > first && is_emptied(d->past, kept[best].addr))
			best--;
		use.count = end - first;
		use.is_only = use.count == count && (!is_live || orphan);
		use.sources = orphan && is_live && kept[first].place == generation ? F2FS_DELETED_ORPHAN : 0u;
		err = tell(d, kept[best].addr, &use);
	}
	return err;
}

/* Names whose inode is not left. */
static int tell_names(struct deletion *d)
{
	int err = 0;

	for (size_t i = 0; i < d->entries.items.count && !err; i++) {
		const struct past_entry *item = vec_at(&d->entries.items, i);
		struct f2fs_deleted file = { .path = d->path, .sources = F2FS_DELETED_ENTRY };
		size_t count;

		past_find(d->past, item->ino, item->ino, &count);
		if (item->is_taken || count > 0)
			continue;
		err = past_names_path(&d->names, item->dir, vec_at(&d->entries.text, item->name), item->length,
				      item->is_cipher, d->path, &file.path_state);
		file.version.ino = item->ino;
		file.version.parent = item->dir;
		file.version.name_len = item->length;
		memcpy(file.version.name, vec_at(&d->entries.text, item->name), item->length);
		file.type = item->type;
		file.version.confidence = file.confidence = F2FS_CONFIDENCE_NAME;
		if (!err)
			err = d->visit(d->user, &file);
	}
	return err;
}

static int tell_all(struct deletion *d)
{
	const struct vec *nodes = &d->past->nodes;
	struct f2fs_progress progress = { .task = "search", .phase = "deleted", .unit = "nodes" };
	f2fs_nid_t last = 0;
	int err = past_entries_load(&d->entries);

	progress.total = nodes->count;
	for (size_t i = 0; i < nodes->count && !err; i++) {
		const struct past_node *node = vec_at(nodes, i);

		if (node->ino == last)
			continue;
		last = node->ino;
		err = tell_uses(d, last);
		progress.done = i + 1;
		if (!err && i % 256 == 0)
			err = progress_report(d->past->vol->ctx, &progress);
	}
	return err ? err : tell_names(d);
}

int f2fs_past_list_deleted(struct f2fs_past *past, int (*visit)(void *user, const struct f2fs_deleted *file),
			   void *user)
{
	struct f2fs_context *ctx = past->vol->ctx;
	struct deletion d = { .past = past, .visit = visit, .user = user };
	int err;

	error_clear(ctx);
	err = past_need_all(past);
	if (err)
		return err;
	past_names_init(&d.names, past);
	past_entries_init(&d.entries, past, ENTRIES_GONE);
	vec_init(&d.order, ctx, sizeof(struct past_node));
	vec_init(&d.text, ctx, 1);
	vec_init(&d.links, ctx, sizeof(const char *));
	d.path = mem_alloc(ctx, PAST_PATH_ROOM);
	d.link = mem_alloc(ctx, PAST_PATH_ROOM);
	err = d.path && d.link ? tell_all(&d) : F2FS_ERR_NOMEM;
	mem_free(ctx, d.link);
	mem_free(ctx, d.path);
	vec_fini(&d.text);
	vec_fini(&d.links);
	vec_fini(&d.order);
	past_entries_fini(&d.entries);
	past_names_fini(&d.names);
	if (!err)
		error_clear(ctx);
	return err;
}
