/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Listings: a walk that writes each name and its stat into growing arrays. Names of directories are kept by row number,
 * not as whole paths: with many levels, whole paths would need far more memory than the volume has bytes.
 */
#include <f2fskit/listing.h>
#include <string.h>

#include "base/error.h"
#include "base/map32.h"
#include "base/vec.h"
#include "file/inode_read.h"
#include "file/object.h"
#include "file/walk.h"
#include "volume/nat_read.h"
#include "volume/volume.h"

#define NAMES_A_REPORT 4096u

struct f2fs_listing {
	struct vec rows; /* struct f2fs_listing_row */
	struct vec text; /* char */
};

struct lister {
	struct f2fs_context *ctx;
	struct f2fs_listing *list;
	struct vec above;   /* uint32_t: row of the directory of each level down to the one at hand */
	struct map32 named; /* inodes that have a row; filled with UNNAMED only */
	unsigned flags;
};

/* Let the host look at its signals, or end the call, from time to time. */
static int report_progress(const struct lister *l)
{
	const struct f2fs_progress progress = {
		.task = "list", .phase = "names", .unit = "names", .done = l->list->rows.count
	};

	return (l->list->rows.count + 1) % NAMES_A_REPORT == 0 ? progress_report(l->ctx, &progress) : 0;
}

static int add_text(struct f2fs_listing *list, const void *bytes, size_t length)
{
	char *to = vec_push(&list->text, length + 1);

	if (!to)
		return F2FS_ERR_NOMEM;
	memcpy(to, bytes, length);
	return 0;
}

/* Append a row for an inode that was opened, or could not be for an error; the caller fills in the entry. */
static int add_row(struct lister *l, struct f2fs_inode *inode, f2fs_nid_t ino, int error, struct f2fs_listing_row **out)
{
	struct f2fs_listing_row *row;
	int err = l->list->rows.count < F2FS_NO_ROW ? report_progress(l) : F2FS_ERR_NOMEM;

	if (err)
		return err;
	row = vec_push(&l->list->rows, 1);
	if (!row)
		return F2FS_ERR_NOMEM;
	err = inode ? inode_stat(inode, &row->stat) : 0;
	if (err == F2FS_ERR_NOMEM)
		return err;
	row->parent = F2FS_NO_ROW;
	row->error = err ? err : error;
	row->stat.ino = ino;
	row->name = l->list->text.count;
	*out = row;
	return 0;
}

static int fill_entry(struct lister *l, struct f2fs_listing_row *row, const struct f2fs_dirent *entry)
{
	const bool is_same = entry->name_len == entry->raw_len &&
			     memcmp(entry->name, entry->raw_name, entry->raw_len) == 0;
	int err = add_text(l->list, entry->name, entry->name_len);

	row->position = entry->position;
	row->hash = entry->hash;
	row->type = entry->type;
	row->name_length = entry->name_len;
	if (err || is_same)
		return err;
	row->raw_length = entry->raw_len;
	return add_text(l->list, entry->raw_name, entry->raw_len);
}

/* Note the row of a directory that the walk may enter next. */
static int enter(struct lister *l, unsigned depth, uint32_t row)
{
	uint32_t *place;

	l->above.count = depth;
	place = vec_push(&l->above, 1);
	if (!place)
		return F2FS_ERR_NOMEM;
	*place = row;
	return 0;
}

/* The rest of a directory cannot be read: its own row says so. */
static void note_damage(struct lister *l, const struct f2fs_walk_entry *entry)
{
	const uint32_t *dir = vec_at(&l->above, entry->depth - 1);
	struct f2fs_listing_row *row = vec_at(&l->list->rows, *dir);

	if (!row->error)
		row->error = entry->error;
}

static int list_entry(struct lister *l, const struct f2fs_walk_entry *entry)
{
	const f2fs_nid_t ino = entry->dirent ? entry->dirent->ino : entry->inode->ino;
	struct f2fs_listing_row *row;
	int err = add_row(l, entry->inode, ino, entry->error, &row);

	if (err)
		return err;
	if (entry->dirent) {
		row->parent = *(const uint32_t *)vec_at(&l->above, entry->depth - 1);
		err = fill_entry(l, row, entry->dirent);
	} else {
		err = add_text(l->list, "", 0);
	}
	if (!err && entry->inode && inode_type(entry->inode) == MODE_DIR)
		err = enter(l, entry->depth, (uint32_t)l->list->rows.count - 1);
	if (!err && (l->flags & F2FS_LISTING_UNNAMED))
		err = map32_set(&l->named, ino, 1);
	return err;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct lister *l = user;
	int err;

	if (!entry->dirent && entry->depth > 0) {
		note_damage(l, entry);
		return F2FS_WALK_GO;
	}
	err = list_entry(l, entry);
	if (err)
		return err;
	return entry->depth > 0 && (l->flags & F2FS_LISTING_FLAT) ? F2FS_WALK_SKIP : F2FS_WALK_GO;
}

/* Add the inodes of the NAT that the walk did not meet. */
static int list_unnamed(struct lister *l, struct f2fs_volume *vol)
{
	struct f2fs_nat_info entry;
	int err;

	for (f2fs_nid_t nid = vol->geo.root_ino;; nid = entry.nid + 1) {
		struct f2fs_inode *inode = NULL;
		struct f2fs_listing_row *row;

		err = nat_next(vol, nid, &entry);
		if (err)
			return err == F2FS_ERR_NOT_FOUND ? 0 : err;
		/* the running transaction may have freed it */
		if (entry.block_addr == 0 || entry.ino != entry.nid || map32_find(&l->named, entry.nid))
			continue;
		err = inode_open(vol, entry.nid, &inode);
		if (err == F2FS_ERR_NOMEM || err == F2FS_ERR_CANCELED)
			return err;
		err = add_row(l, inode, entry.nid, err, &row);
		if (!err)
			err = add_text(l->list, "", 0);
		f2fs_inode_close(inode);
		if (err)
			return err;
	}
}

static int list(struct lister *l, struct f2fs_inode *start)
{
	struct f2fs_volume *vol = start->vol;
	int err = walk_tree(start, visit, l);

	if (!err && (l->flags & F2FS_LISTING_UNNAMED) && !vol->as_of)
		err = list_unnamed(l, vol);
	if (err == F2FS_ERR_NOMEM) /* of the arrays here: nobody has recorded it */
		return error_set(l->ctx, err, "no memory for a listing of %zu names", l->list->rows.count);
	if (!err)
		error_clear(l->ctx); /* of damage that a row reports */
	return err;
}

int f2fs_listing_read(struct f2fs_inode *start, unsigned flags, struct f2fs_listing **out)
{
	struct lister l = { .ctx = start->vol->ctx, .flags = flags };
	int err;

	error_clear(l.ctx);
	if (flags & ~(unsigned)(F2FS_LISTING_FLAT | F2FS_LISTING_UNNAMED))
		return error_set(l.ctx, F2FS_ERR_INVALID, "unknown flags of a listing: %x", flags);
	l.list = mem_zalloc(l.ctx, sizeof(*l.list));
	if (!l.list)
		return F2FS_ERR_NOMEM;
	vec_init(&l.list->rows, l.ctx, sizeof(struct f2fs_listing_row));
	vec_init(&l.list->text, l.ctx, 1);
	vec_init(&l.above, l.ctx, sizeof(uint32_t));
	map32_init(&l.named, l.ctx);
	err = list(&l, start);
	vec_fini(&l.above);
	map32_fini(&l.named);
	if (err) {
		f2fs_listing_free(l.list);
		return err;
	}
	*out = l.list;
	return 0;
}

const struct f2fs_listing_row *f2fs_listing_rows(const struct f2fs_listing *listing, size_t *count)
{
	*count = listing->rows.count;
	return listing->rows.items;
}

const char *f2fs_listing_text(const struct f2fs_listing *listing, size_t *length)
{
	*length = listing->text.count;
	return listing->text.items;
}

void f2fs_listing_free(struct f2fs_listing *listing)
{
	struct f2fs_context *ctx;

	if (!listing)
		return;
	ctx = listing->rows.ctx;
	vec_fini(&listing->rows);
	vec_fini(&listing->text);
	mem_free(ctx, listing);
}
