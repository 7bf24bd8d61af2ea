/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the items to place, in order. A walk finds the files in the order of directories, then those of quotas. By score
 * the list holds broken files alone, otherwise all files that have blocks.
 */
#include <string.h>

#include "base/error.h"
#include "base/glob.h"
#include "defrag/list.h"
#include "defrag/run.h"
#include "file/inode_read.h"
#include "file/path.h"
#include "fragments/file.h"

static const struct fragment_units units = { .small = 16, .read = 32 };

struct finder {
	struct defrag_run *r;
	const char *base; /* path of the start, without a slash at the end */
	struct vec path;  /* char */
	uint64_t key;	  /* of a listed item; UINT64_MAX: by the order's rule */
};

/* Segments of which type an inode's contents belong into. */
static void set_type(struct defrag_item *item, const struct f2fs_inode *inode)
{
	item->is_pinned = inode_has_inline(inode->block, FLAG_i_inline_pin_file);
	if (item->is_pinned)
		item->type = F2FS_COLD_DATA; /* where the kernel has such files */
	else
		item->type = inode_type(inode) == MODE_DIR ? F2FS_HOT_DATA : F2FS_WARM_DATA;
}

/* Pinned files stay unless the caller asks for them. A device alias stays: its blocks are those of the device. */
static bool stays(const struct defrag_run *r, const struct f2fs_inode *inode, const struct f2fs_file_fragments *file)
{
	return file->is_pinned && (!r->options->move_pinned || r->is_zoned || inode_is_alias(inode));
}

/* One that is asked for by its name is not passed over in silence. */
static int refuse_alias(struct defrag_run *r, const struct f2fs_inode *inode, const char *path)
{
	if (!inode_is_alias(inode))
		return 0;
	return error_set(r->vol->ctx, F2FS_ERR_UNSUPPORTED,
			 "%s stands for a device of the volume: its blocks are that device's, from block %u on, so it "
			 "cannot move; removing it gives its room to the volume",
			 path, (unsigned)inode_i_ext_blk(inode->block));
}

/* The time of the last modification, as a number that grows. Moving does not change it, unlike the age of segments. */
static uint64_t mtime_of(const struct f2fs_inode *inode)
{
	const int64_t seconds = (int64_t)inode_i_mtime(inode->block), most = UINT32_MAX;
	const int64_t valid = seconds < 0 ? 0 : seconds < most ? seconds : most;

	return ((uint64_t)valid << 30) + (inode_i_mtime_nsec(inode->block) & ((1u << 30) - 1));
}

/* Directories come first: they are read before their entries, and change more often. */
static uint64_t key_of(const struct defrag_run *r, const struct f2fs_inode *inode, const struct f2fs_file_fragments *f,
		       uint64_t ideal_requests)
{
	const uint64_t won = f->requests - ideal_requests + (f->fragments - f->ideal);

	switch (r->options->order) {
	case F2FS_DEFRAG_SCORE: /* the gain for each block that is moved */
		return UINT64_MAX / 2 - (won << 24) / (f->blocks ? f->blocks : 1);
	case F2FS_DEFRAG_AGE:
		return f->type == F2FS_TYPE_DIRECTORY ? 0 : UINT64_MAX / 2 - mtime_of(inode);
	default:
		return f->type != F2FS_TYPE_DIRECTORY;
	}
}

static int push(struct defrag_run *r, const struct defrag_item *item, uint64_t blocks)
{
	struct defrag_item *new = vec_push(&r->items, 1);

	if (!new)
		return F2FS_ERR_NOMEM;
	*new = *item;
	new->number = (uint32_t)r->items.count;
	r->total += blocks;
	return map32_set(&r->known, item->ino, 1);
}

/* Add a file that was found, when it is to be placed. */
static int add_file(struct finder *f, struct f2fs_inode *inode)
{
	struct defrag_run *r = f->r;
	struct f2fs_file_fragments file;
	uint64_t ideal_requests;
	struct defrag_item item = { .ino = inode->ino, .end = UINT64_MAX };
	int err = fragments_count(inode, &units, &file, &ideal_requests);

	if (err || file.blocks == 0 || map32_find(&r->known, inode->ino))
		return err;
	if (stays(r, inode, &file)) {
		r->result->pinned++;
		return 0;
	}
	if (r->options->order == F2FS_DEFRAG_SCORE && file.fragments <= file.ideal)
		return 0;
	item.key = f->key == UINT64_MAX ? key_of(r, inode, &file, ideal_requests) : f->key;
	set_type(&item, inode);
	return push(r, &item, file.blocks);
}

int defrag_add(struct defrag_run *r, f2fs_nid_t ino)
{
	struct finder f = { .r = r, .key = UINT64_MAX - 1 };
	struct defrag_item item = { .ino = ino, .end = UINT64_MAX, .key = f.key };
	struct f2fs_inode *inode;
	int err;

	if (map32_find(&r->known, ino))
		return 0;
	err = inode_open(r->vol, ino, &inode);
	if (err)
		return err;
	set_type(&item, inode);
	err = push(r, &item, 0);
	f2fs_inode_close(inode);
	return err;
}

/* Is a path below the base among the patterns? */
static int look_up_patterns(struct finder *f, const char *relative, bool *is_included)
{
	const struct f2fs_defrag_options *o = f->r->options;
	char *p;

	*is_included = o->include_count == 0;
	if (*is_included)
		return 0;
	f->path.count = 0;
	p = vec_push(&f->path, strlen(f->base) + strlen(relative) + 2);
	if (!p)
		return F2FS_ERR_NOMEM;
	strcpy(p, f->base);
	if (relative[0]) {
		strcat(p, "/");
		strcat(p, relative);
	}
	*is_included = glob_match_any(o->include, o->include_count, p[0] == '/' ? p + 1 : p);
	return 0;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct finder *f = user;
	bool is_included;
	unsigned type;
	int err;

	if (!entry->inode || entry->error) {
		f->r->result->unreadable++;
		return F2FS_WALK_GO;
	}
	if (!entry->path[0]) { /* the start of the walk */
		err = refuse_alias(f->r, entry->inode, f->base);
		if (err)
			return err;
	}
	type = inode_type(entry->inode);
	if (type != MODE_REG && type != MODE_DIR && type != MODE_LNK)
		return F2FS_WALK_GO;
	err = look_up_patterns(f, entry->path, &is_included);
	if (!err && !is_included)
		return F2FS_WALK_GO;
	if (!err)
		err = add_file(f, entry->inode);
	if (!err)
		err = progress_tick(f->r->vol->ctx, "defrag", f->r->vol->geo.block_size);
	return err ? err : F2FS_WALK_GO;
}

static int find_below(struct finder *f, const char *path)
{
	char *base = path_base(f->r->vol->ctx, path);
	struct f2fs_inode *start;
	int err = base ? 0 : F2FS_ERR_NOMEM;

	if (!err) {
		f->base = base;
		err = f2fs_lookup(f->r->vol, base[0] ? base : "/", 0, &start);
	}
	if (!err) {
		err = f2fs_walk(start, visit, f);
		f2fs_inode_close(start);
	}
	mem_free(f->r->vol->ctx, base);
	return err;
}

static int find_quotas(struct finder *f)
{
	struct f2fs_volume *vol = f->r->vol;
	int err = 0;

	for (unsigned kind = 0; kind < 3 && !err; kind++) {
		const f2fs_nid_t ino = geometry_has(&vol->geo, F2FS_FEAT_QUOTA) ? sb_qf_ino(vol->sb, kind) : 0;
		struct f2fs_inode *inode;

		if (ino == 0)
			continue;
		err = inode_open(vol, ino, &inode);
		if (!err) {
			err = add_file(f, inode);
			f2fs_inode_close(inode);
		} else if (err == F2FS_ERR_CORRUPT || err == F2FS_ERR_IO || err == F2FS_ERR_NOT_FOUND) {
			f->r->result->unreadable++;
			error_clear(vol->ctx);
			err = 0;
		}
	}
	return err;
}

/* One line of an access list. */
static int add_part(struct defrag_run *r, const struct f2fs_defrag_part *part)
{
	const uint64_t size = r->vol->geo.block_size;
	struct defrag_item item = { .key = r->items.count };
	struct f2fs_file_fragments file;
	struct f2fs_inode *inode;
	uint64_t ideal_requests;
	bool is_left;
	int err = f2fs_lookup(r->vol, part->path, 0, &inode);

	if (err)
		return err;
	err = refuse_alias(r, inode, part->path);
	if (!err)
		err = fragments_count(inode, &units, &file, &ideal_requests);
	item.ino = inode->ino;
	item.first = part->offset / size;
	item.end = UINT64_MAX;
	if (part->length && part->length <= UINT64_MAX - part->offset - size)
		item.end = (part->offset + part->length + size - 1) / size;
	set_type(&item, inode);
	is_left = stays(r, inode, &file);
	f2fs_inode_close(inode);
	if (err || file.blocks == 0)
		return err;
	if (is_left) {
		r->result->pinned++;
		return 0;
	}
	return push(r, &item, item.end - item.first < file.blocks ? item.end - item.first : file.blocks);
}

static int by_key(const void *left, const void *right)
{
	const struct defrag_item *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->number > b->number) - (a->number < b->number);
}

/* Hot, warm and cold: by thirds of the files, which are sorted by age. */
static void part_by_age(struct defrag_run *r)
{
	const size_t n = r->items.count;

	for (size_t i = 0; i < n; i++) {
		struct defrag_item *item = vec_at(&r->items, i);

		if (item->key != 0 && !item->is_pinned)
			item->type = i < n / 3	     ? F2FS_HOT_DATA
				     : i < n / 3 * 2 ? F2FS_WARM_DATA
						     : F2FS_COLD_DATA;
	}
}

int defrag_list(struct defrag_run *r)
{
	const struct f2fs_defrag_options *o = r->options;
	struct finder f = { .r = r, .key = UINT64_MAX };
	int err = 0;

	vec_init(&f.path, r->vol->ctx, 1);
	for (uint32_t i = 0; i < o->list_count && !err; i++)
		err = add_part(r, &o->list[i]);
	if (o->order != F2FS_DEFRAG_LIST) {
		for (uint32_t i = 0; i < o->path_count && !err; i++)
			err = find_below(&f, o->paths[i]);
		if (o->path_count == 0 && !err)
			err = find_below(&f, "/");
		if (o->path_count == 0 && o->include_count == 0 && !err)
			err = find_quotas(&f);
	}
	vec_fini(&f.path);
	if (err)
		return err;
	vec_sort(&r->items, by_key);
	if (o->order == F2FS_DEFRAG_AGE)
		part_by_age(r);
	r->result->files = r->items.count;
	return 0;
}
