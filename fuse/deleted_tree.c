/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A tree of the deleted files of a volume by their paths. Directories on a path are rows of their own, whether an inode
 * of theirs is left or not. A second file of one path gets ".~" and its address after its name, as with an extraction.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "fuse/deleted_tree.h"
#include "fuse/mount.h"
#include "fuse/mount_history.h"

struct row {
	char *name;
	uint32_t parent;
	uint32_t first, count; /* children in order[], when complete */
	mode_t type;
	struct history_marks marks;
};

struct deleted_tree {
	struct row *rows;
	uint32_t count, room;
	uint32_t *buckets, bucket_count; /* row + 1 by parent and name, open addressing */
	uint32_t *order;		 /* all rows but the top, by parent and name */
};

static uint32_t hash(uint32_t parent, const char *name, size_t length)
{
	uint32_t h = parent * 0x9E3779B1u ^ 2166136261u;

	for (size_t i = 0; i < length; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	return h;
}

/* The bucket that has the row, or where it belongs. */
static uint32_t *bucket_of(const struct deleted_tree *t, uint32_t parent, const char *name, size_t length)
{
	uint32_t at = hash(parent, name, length) & (t->bucket_count - 1);

	for (; t->buckets[at]; at = (at + 1) & (t->bucket_count - 1)) {
		const struct row *row = &t->rows[t->buckets[at] - 1];

		if (row->parent == parent && strlen(row->name) == length && !memcmp(row->name, name, length))
			break;
	}
	return &t->buckets[at];
}

static int grow(struct deleted_tree *t)
{
	const uint32_t room = t->room ? 2 * t->room : 64;
	struct row *rows = room < UINT32_MAX / 4 ? realloc(t->rows, room * sizeof(*rows)) : NULL;
	uint32_t *buckets = rows ? calloc(2 * (size_t)room, sizeof(*buckets)) : NULL;

	t->rows = rows ? rows : t->rows;
	if (!buckets)
		return F2FS_ERR_NOMEM;
	free(t->buckets);
	t->buckets = buckets;
	t->bucket_count = 2 * room;
	t->room = room;
	for (uint32_t i = 0; i < t->count; i++)
		*bucket_of(t, t->rows[i].parent, t->rows[i].name, strlen(t->rows[i].name)) = i + 1;
	return 0;
}

/* Find a row, or add one, which is a directory until somebody says otherwise. */
static int take(struct deleted_tree *t, uint32_t parent, const char *name, size_t length, uint32_t *out)
{
	struct row row = { .parent = parent, .type = S_IFDIR, .marks.confidence = -1, .marks.path_state = -1 };
	int err = t->count == t->room ? grow(t) : 0;
	uint32_t *bucket;

	if (err)
		return err;
	bucket = bucket_of(t, parent, name, length);
	if (!*bucket) {
		row.name = strndup(name, length);
		if (!row.name)
			return F2FS_ERR_NOMEM;
		t->rows[t->count] = row;
		*bucket = ++t->count;
	}
	*out = *bucket - 1;
	return 0;
}

static int is_free(const struct row *row, mode_t type)
{
	return row->marks.confidence < 0 && (row->type == type || row->count == 0);
}

static mode_t mode_of_type(uint8_t type)
{
	const uint32_t mode = f2fs_mode_of_type(type);

	return mode ? (mode_t)mode : S_IFREG;
}

/* Add a file below a directory, under another name if this one is taken. While rows are added, count is that of
 * children. */
static int add_leaf(struct deleted_tree *t, uint32_t parent, const char *name, const struct f2fs_deleted *file)
{
	const mode_t type = mode_of_type(file->type);
	char other[512];
	uint32_t row;
	int err = take(t, parent, name, strlen(name), &row);

	if (!err && !is_free(&t->rows[row], type)) {
		snprintf(other, sizeof(other), "%s.~%u", name, (unsigned)file->version.addr);
		err = take(t, parent, other, strlen(other), &row);
	}
	if (err || !is_free(&t->rows[row], type))
		return err;
	t->rows[row].type = type;
	t->rows[row].marks = (struct history_marks){ .confidence = file->confidence,
						      .path_state = file->path_state,
						      .ino = file->version.ino,
						      .addr = file->version.addr,
						      .cp_ver = file->version.cp_ver,
						      .remains = file->version.remains };
	return 0;
}

static int add(void *user, const struct f2fs_deleted *file)
{
	struct deleted_tree *t = user;
	const char *name = file->path, *slash;
	uint32_t parent = 0;

	for (; (slash = strchr(name, '/')) != NULL; name = slash + 1) {
		uint32_t row;
		int err = slash > name ? take(t, parent, name, (size_t)(slash - name), &row) : 0;

		if (err)
			return err;
		if (slash == name) /* the root */
			continue;
		if (!S_ISDIR(t->rows[row].type)) { /* a file of that name, and later a directory */
			char other[512];

			snprintf(other, sizeof(other), "%.*s.~", (int)(slash - name), name);
			err = take(t, parent, other, strlen(other), &row);
			if (err)
				return err;
		}
		t->rows[parent].count = 1;
		parent = row;
	}
	t->rows[parent].count = 1;
	return *name ? add_leaf(t, parent, name, file) : 0;
}

/* A row to be sorted. */
struct place {
	uint32_t parent, row;
	const char *name;
};

static int compare(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int sort(struct deleted_tree *t)
{
	const uint32_t n = t->count - 1; /* without the top */
	struct place *places = malloc((n ? n : 1) * sizeof(*places));

	t->order = malloc((n ? n : 1) * sizeof(*t->order));
	if (!places || !t->order) {
		free(places);
		return F2FS_ERR_NOMEM;
	}
	for (uint32_t i = 0; i < n; i++)
		places[i] = (struct place){ t->rows[i + 1].parent, i + 1, t->rows[i + 1].name };
	qsort(places, n, sizeof(*places), compare);
	for (uint32_t i = 0; i < t->count; i++)
		t->rows[i].first = t->rows[i].count = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct row *parent = &t->rows[places[i].parent];

		t->order[i] = places[i].row;
		if (parent->count++ == 0)
			parent->first = i;
	}
	free(places);
	return 0;
}

int deleted_tree_new(struct f2fs_past *past, struct deleted_tree **out)
{
	struct deleted_tree *t = calloc(1, sizeof(*t));
	uint32_t top;
	int err = t ? take(t, UINT32_MAX, "", 0, &top) : F2FS_ERR_NOMEM;

	if (!err)
		err = f2fs_past_list_deleted(past, add, t);
	if (!err)
		err = sort(t);
	if (err)
		deleted_tree_free(t);
	else
		*out = t;
	return err;
}

void deleted_tree_free(struct deleted_tree *t)
{
	for (uint32_t i = 0; t && i < t->count; i++)
		free(t->rows[i].name);
	if (!t)
		return;
	free(t->rows);
	free(t->buckets);
	free(t->order);
	free(t);
}

int deleted_tree_lookup(const struct deleted_tree *t, uint32_t dir, const char *name, uint32_t *row)
{
	const uint32_t found = *bucket_of(t, dir, name, strlen(name));

	if (!found)
		return F2FS_ERR_NOT_FOUND;
	*row = found - 1;
	return 0;
}

int deleted_tree_list(const struct deleted_tree *t, uint32_t dir, history_visit *visit, void *user)
{
	int err = 0;

	for (uint32_t i = 0; !err && i < t->rows[dir].count; i++) {
		const uint32_t row = t->order[t->rows[dir].first + i];

		err = visit(user, t->rows[row].name, (fuse_ino_t)SPACE_DELETED << 32 | row, t->rows[row].type);
	}
	return err;
}

int deleted_tree_is_dir(const struct deleted_tree *t, uint32_t row)
{
	return S_ISDIR(t->rows[row].type);
}

const struct history_marks *deleted_tree_marks(const struct deleted_tree *t, uint32_t row)
{
	return &t->rows[row].marks;
}

mode_t deleted_tree_type(const struct deleted_tree *t, uint32_t row)
{
	return t->rows[row].type;
}
