/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Removing a name clears its bits in the bitmap and leaves the entry where it is. Blocks of directories in use are read
 * for slots that are not in use; old versions of directories for all, where their blocks are judged to be theirs
 * still. An entry that is left is believed when its length fits, its inode number can be, and its hash is that of its
 * name.
 */
#include "forensics/past_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/namehash.h"
#include "file/inode_read.h"
#include "file/map_read.h"
#include "forensics/fate.h"
#include "forensics/inode_at.h"
#include "format/dentry.h"
#include "volume/block_read.h"
#include "volume/nat_read.h"

void past_entries_init(struct past_entries *entries, struct f2fs_past *past, enum entries_kind kind)
{
	entries->past = past;
	entries->kind = kind;
	entries->only = NULL;
	vec_init(&entries->items, past->vol->ctx, sizeof(struct past_entry));
	vec_init(&entries->text, past->vol->ctx, 1);
	map32_init(&entries->seen, past->vol->ctx);
}

void past_entries_fini(struct past_entries *entries)
{
	vec_fini(&entries->items);
	vec_fini(&entries->text);
	map32_fini(&entries->seen);
}

static bool is_free(struct f2fs_volume *vol, f2fs_nid_t ino)
{
	struct f2fs_nat_info entry;

	return nat_get(vol, ino, &entry) != 0 || entry.block_addr == 0;
}

bool past_entries_was_used(const struct f2fs_past *past, f2fs_nid_t ino)
{
	size_t count;
	const struct past_node *nodes = past_find(past, ino, ino, &count);

	for (size_t i = 1; i < count && i < 64; i++)
		if (nodes[i].place != nodes[0].place)
			return true;
	return false;
}

/* Is an entry one of those wanted? */
static bool is_wanted(const struct past_entries *entries, f2fs_nid_t ino)
{
	switch (entries->kind) {
	case ENTRIES_LEFT:
		return !is_free(entries->past->vol, ino);
	case ENTRIES_IN_USE:
		return map32_find(entries->only, ino) != NULL;
	default:
		return is_free(entries->past->vol, ino) || past_entries_was_used(entries->past, ino);
	}
}

static int keep(struct past_entries *entries, const struct f2fs_inode *dir, const struct dentry_ref *ref)
{
	struct past_entry *item;
	uint8_t *name;

	if (!is_wanted(entries, ref->ino))
		return 0;
	name = vec_push(&entries->text, ref->name_len);
	item = name ? vec_push(&entries->items, 1) : NULL;
	if (!item)
		return F2FS_ERR_NOMEM;
	memcpy(name, ref->name, ref->name_len);
	item->ino = ref->ino;
	item->dir = dir->ino;
	item->hash = ref->hash;
	item->name = (uint32_t)(entries->text.count - ref->name_len);
	item->length = (uint8_t)ref->name_len;
	item->type = ref->type;
	item->is_cipher = inode_is_encrypted(dir);
	return 0;
}

/* Can an entry in a slot that is not in use be one that was? */
static bool is_credible(const struct f2fs_inode *dir, const struct dentry_area *area, struct dentry_ref *ref)
{
	const uint8_t *raw = area->entries + (size_t)ref->slot * dentry_SIZE;
	uint32_t hash;

	ref->hash = dentry_hash_code(raw);
	ref->ino = dentry_ino(raw);
	ref->name_len = dentry_name_len(raw);
	ref->type = dentry_file_type(raw);
	ref->name = area->names + (size_t)ref->slot * DENTRY_SLOT_BYTES;
	if (ref->name_len == 0 || ref->name_len > NAME_MAX_BYTES ||
	    ref->type == F2FS_TYPE_UNKNOWN || ref->type >= F2FS_TYPE_END ||
	    dentry_slots_of(ref->name_len) > area->slots - ref->slot || !geometry_is_nid(&dir->vol->geo, ref->ino))
		return false;
	if (inode_is_casefold(dir)) {
		if (inode_is_encrypted(dir)) /* hashed with the key */
			return ref->hash != 0;
		return namehash_casefold(ref->name, ref->name_len, &hash) == UNICODE_OK && hash == ref->hash;
	}
	return ref->hash != 0 && namehash_plain(ref->name, ref->name_len) == ref->hash;
}

static bool is_dots(const struct dentry_ref *ref)
{
	return ref->name[0] == '.' && (ref->name_len == 1 || (ref->name_len == 2 && ref->name[1] == '.'));
}

/* Take the entries of an area; in one that is in use only the remains beside the entries in use. */
static int take_area(struct past_entries *entries, const struct f2fs_inode *dir, const struct dentry_area *area)
{
	int err = 0;

	for (uint32_t slot = 0; slot < area->slots && !err;) {
		struct dentry_ref ref = { .slot = slot };
		const bool is_used = lsb_test(area->bitmap, slot), is_used_now = is_used && !dir->is_past;
		const bool is_good = is_credible(dir, area, &ref);

		work_note(dir->vol->ctx);
		if (is_good && is_used_now == (entries->kind == ENTRIES_IN_USE) && !is_dots(&ref))
			err = keep(entries, dir, &ref);
		slot += is_used && is_good ? dentry_slots_of(ref.name_len) : 1;
	}
	return err;
}

static int take_block(struct past_entries *entries, struct f2fs_inode *dir, const struct map_run *run, uint64_t i)
{
	struct f2fs_volume *vol = dir->vol;
	const f2fs_blk_t addr = get_le32(run->slots + i * 4);
	struct dentry_area area;
	const uint8_t *block;
	enum fate fate;
	int err;

	if (!geometry_is_main(&vol->geo, addr) || map32_find(&entries->seen, addr))
		return 0;
	if (dir->is_past) {
		err = past_judge(dir, run->nid, run->ofs_in_node + (uint32_t)i, addr, &fate);
		if (err || (fate != FATE_INTACT && fate != FATE_CURRENT))
			return err;
	}
	err = map32_set(&entries->seen, addr, 1);
	if (err)
		return err;
	if (volume_peek(vol, addr, &block) != 0)
		return 0;
	dentry_area_of_block(&vol->geo, block, &area);
	return take_area(entries, dir, &area);
}

static int take_dir(struct past_entries *entries, struct f2fs_inode *dir)
{
	const uint64_t blocks = inode_i_size(dir->block) >> dir->vol->geo.block_bits;
	struct dentry_area area;
	int err = 0;

	if (inode_has_inline(dir->block, FLAG_i_inline_inline_dentry)) {
		dentry_area_of_inode(dir->block, &dir->layout, &area);
		return take_area(entries, dir, &area);
	}
	for (uint64_t at = 0; at < blocks && !err;) {
		struct map_run run = { 0 };

		err = map_find(dir, at, &run);
		if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_NOT_FOUND || run.count == 0)
			return err == F2FS_ERR_NOMEM ? err : 0;
		for (uint64_t i = 0; !err && run.slots && i < run.count && at + i < blocks; i++)
			err = take_block(entries, dir, &run, i);
		if (err && err != F2FS_ERR_NOMEM) /* a node is lost */
			err = 0;
		at += run.count;
	}
	return err;
}

/* Is there a directory at this place? */
static bool is_dir(struct f2fs_volume *vol, f2fs_blk_t addr)
{
	const uint8_t *block;

	return volume_peek(vol, addr, &block) == 0 && (inode_i_mode(block) & MODE_TYPE) == MODE_DIR;
}

static int take_node(struct past_entries *entries, const struct past_node *node)
{
	struct f2fs_volume *vol = entries->past->vol;
	struct f2fs_nat_info entry;
	struct f2fs_inode *dir;
	int err;

	if (!is_dir(vol, node->addr))
		return 0;
	if (nat_get(vol, node->ino, &entry) == 0 && entry.block_addr == node->addr)
		err = inode_open(vol, node->ino, &dir);
	else if (entries->kind == ENTRIES_IN_USE)
		return 0;
	else
		err = past_open_inode(vol, entries->past, node->addr, 0, &dir);
	if (err)
		return err == F2FS_ERR_NOMEM ? err : 0;
	err = take_dir(entries, dir);
	f2fs_inode_close(dir);
	return err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED ? err : 0;
}

struct sort_key {
	struct past_entry entry;
	const uint8_t *name;
};

static int compare_keys(const void *a, const void *b)
{
	const struct sort_key *x = a, *y = b;
	const size_t n = x->entry.length < y->entry.length ? x->entry.length : y->entry.length;
	int order;

	if (x->entry.ino != y->entry.ino)
		return x->entry.ino < y->entry.ino ? -1 : 1;
	if (x->entry.dir != y->entry.dir)
		return x->entry.dir < y->entry.dir ? -1 : 1;
	order = memcmp(x->name, y->name, n);
	return order ? order : (x->entry.length > y->entry.length) - (x->entry.length < y->entry.length);
}

/* Sort them, and leave each once. */
static int arrange(struct past_entries *entries)
{
	const size_t count = entries->items.count;
	struct sort_key *keys = mem_calloc(entries->past->vol->ctx, count + 1, sizeof(*keys));
	size_t kept = 0;

	if (!keys)
		return F2FS_ERR_NOMEM;
	for (size_t i = 0; i < count; i++) {
		keys[i].entry = *(struct past_entry *)vec_at(&entries->items, i);
		keys[i].name = vec_at(&entries->text, keys[i].entry.name);
	}
	qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || compare_keys(&keys[i - 1], &keys[i]) != 0)
			*(struct past_entry *)vec_at(&entries->items, kept++) = keys[i].entry;
	entries->items.count = kept;
	mem_free(entries->past->vol->ctx, keys);
	return 0;
}

int past_entries_load(struct past_entries *entries)
{
	const struct vec *nodes = &entries->past->nodes;
	struct f2fs_progress progress = { .task = "search", .phase = "names", .unit = "nodes", .total = nodes->count };
	int err = 0;

	for (size_t i = 0; i < nodes->count && !err; i++) {
		const struct past_node *node = vec_at(nodes, i);

		if (node->nid == node->ino)
			err = take_node(entries, node);
		progress.done = i + 1;
		if (!err && i % 4096 == 0)
			err = progress_report(entries->past->vol->ctx, &progress);
	}
	return err ? err : arrange(entries);
}

static int compare_inos(const void *a, const void *b)
{
	const struct past_entry *x = a, *y = b;

	return (x->ino > y->ino) - (x->ino < y->ino);
}

struct past_entry *past_entries_of(const struct past_entries *entries, f2fs_nid_t ino, size_t *count)
{
	const size_t first = vec_first(&entries->items, compare_inos, &(struct past_entry){ .ino = ino });
	size_t end = first;

	while (end < entries->items.count && ((struct past_entry *)vec_at(&entries->items, end))->ino == ino)
		end++;
	*count = end - first;
	return *count ? vec_at(&entries->items, first) : NULL;
}
