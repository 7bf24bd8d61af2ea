/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy files within the volume. One walk of the tree makes each entry below the target. A directory gets its times
 * after all its entries.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/data.h"
#include "edit/failure.h"
#include "edit/paths.h"

static int copy_contents(struct edit *e, struct f2fs_inode *from, uint64_t size, struct f2fs_inode *to,
			 const char *what)
{
	const uint32_t block_size = f2fs_volume_geometry(e->vol)->block_size;
	uint8_t *buffer = malloc(COPY_BYTES);
	uint64_t at = 0;
	int rc = buffer ? 0 : edit_no_memory(e);

	while (!rc && at < size) {
		struct f2fs_file_extent extent;
		uint64_t end;
		size_t done;

		rc = f2fs_inode_extent(from, at / block_size, &extent);
		if (rc == F2FS_ERR_NOT_FOUND) { /* a hole up to the end */
			rc = 0;
			break;
		}
		if (rc)
			break;
		end = (extent.file_block + extent.count) * block_size;
		if (extent.kind == F2FS_EXTENT_HOLE || extent.kind == F2FS_EXTENT_RESERVED) {
			at = end;
			continue;
		}
		end = extent.kind == F2FS_EXTENT_INLINE || end > size ? size : end;
		rc = f2fs_inode_read(from, at, buffer, end - at < COPY_BYTES ? (size_t)(end - at) : COPY_BYTES, &done);
		if (!rc)
			rc = f2fs_inode_write(to, at, buffer, done);
		at += done;
		if (!rc && done == 0)
			break;
	}
	if (!rc)
		rc = f2fs_inode_truncate(to, size);
	if (rc)
		edit_fail(e, rc, what);
	free(buffer);
	return rc;
}

/* Would writing under this name write that inode, by itself or through symbolic links? */
static int leads_to(struct edit *e, const struct edit_name *name, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	int yes;

	if (f2fs_lookup(e->vol, name->path, F2FS_LOOKUP_FOLLOW, &inode))
		return 0;
	yes = f2fs_inode_number(inode) == ino;
	f2fs_inode_close(inode);
	return yes;
}

/* Copy a file, or the target of a link. */
static int copy_file(struct edit *e, const char *source, const char *operand)
{
	struct f2fs_inode *from, *to;
	struct edit_name name;
	struct f2fs_stat st;
	int is_new, rc = edit_open_stat(e, source, F2FS_LOOKUP_FOLLOW, &from, &st);

	if (rc)
		return rc;
	if ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_REG) {
		f2fs_inode_close(from);
		return edit_fail(e,
				 f2fs_context_fail(e->ctx, F2FS_ERR_WRONG_TYPE,
						   "not a regular file: -r copies others"),
				 source);
	}
	rc = edit_name_open_file(e, operand, source, &name);
	if (!rc) {
		rc = leads_to(e, &name, st.ino) ? edit_usage(e, "cp", operand, "is the same file")
						: edit_open_empty(e, &name, &st.mode, &to, &is_new);
		if (!rc) {
			rc = copy_contents(e, from, st.size, to, source);
			f2fs_inode_close(to);
			if (rc)
				edit_undo_file(e, &name, is_new);
		}
		edit_name_close(&name);
	}
	f2fs_inode_close(from);
	return rc;
}

/* ---- trees ---- */

/* A file of the source, and its copy. */
struct twin {
	f2fs_nid_t from, to;
};

/* A directory that is made on the way down. */
struct place {
	f2fs_nid_t ino;
	struct f2fs_inode *dir; /* NULL: not needed yet, or far up */
	struct f2fs_stat times; /* that it is to have */
	size_t path_length;
};

struct tree {
	struct edit *e;
	const char *source;
	const struct edit_name *target;
	struct place *places; /* by depth */
	size_t depth, place_room;
	struct edit_way way; /* to the copy at hand */
	struct twin *twins; /* hash table; from is F2FS_NO_NID where it is free */
	size_t count, room;
};

static int set_xattrs(struct edit *e, struct f2fs_inode *from, struct f2fs_inode *to, const char *what)
{
	struct f2fs_xattr x;
	int rc = f2fs_xattr_count(from);

	for (unsigned i = 0, n = rc > 0 ? (unsigned)rc : 0; rc >= 0 && i < n; i++) {
		rc = f2fs_xattr_at(from, i, &x);
		if (!rc && !x.is_internal)
			rc = f2fs_xattr_set(to, x.name, x.value, x.value_size);
	}
	return rc < 0 ? edit_fail(e, rc, what) : 0;
}

static int set_times(struct edit *e, struct f2fs_inode *to, const struct f2fs_stat *st, const char *what)
{
	int rc = f2fs_inode_set(to, F2FS_SET_ATIME | F2FS_SET_MTIME, st);

	return rc ? edit_fail(e, rc, what) : 0;
}

/* The place of a file in the table, or the free one where it goes. */
static struct twin *twin_place(struct twin *table, size_t room, f2fs_nid_t from)
{
	size_t at = from * (size_t)2654435761U & (room - 1);

	while (table[at].from != F2FS_NO_NID && table[at].from != from)
		at = (at + 1) & (room - 1);
	return &table[at];
}

/* Twice the room for a table that is half full. */
static int grow_twins(struct tree *t)
{
	const size_t room = t->room ? 2 * t->room : 64;
	struct twin *table = malloc(room * sizeof(*table));

	if (!table)
		return edit_no_memory(t->e);
	for (size_t i = 0; i < room; i++)
		table[i].from = F2FS_NO_NID;
	for (size_t i = 0; i < t->room; i++)
		if (t->twins[i].from != F2FS_NO_NID)
			*twin_place(table, room, t->twins[i].from) = t->twins[i];
	free(t->twins);
	t->twins = table;
	t->room = room;
	return 0;
}

/* Remember the copy of a file: it may have further names. */
static int note_twin(struct tree *t, f2fs_nid_t from, f2fs_nid_t to)
{
	int rc = 2 * (t->count + 1) > t->room ? grow_twins(t) : 0;

	if (!rc) {
		*twin_place(t->twins, t->room, from) = (struct twin){ from, to };
		t->count++;
	}
	return rc;
}

static f2fs_nid_t find_twin(const struct tree *t, f2fs_nid_t from)
{
	const struct twin *twin = t->count ? twin_place(t->twins, t->room, from) : NULL;

	return twin && twin->from == from ? twin->to : F2FS_NO_NID;
}

/* Make a further name of a copied inode. */
static int link_twin(struct tree *t, const struct edit_name *name, f2fs_nid_t ino)
{
	struct f2fs_inode *inode;
	int rc = f2fs_inode_open(t->e->vol, ino, &inode);

	if (!rc) {
		rc = f2fs_link(name->dir, name->name, name->length, inode);
		f2fs_inode_close(inode);
	}
	return rc ? edit_fail(t->e, rc, name->path) : 0;
}

/* The entry found under the name of a copy. */
enum found { FOUND_NOTHING, FOUND_DIRECTORY, FOUND_OTHER };

/* Remove an entry in the way of a copy. A directory (*ino) stays and is entered if the copy is a directory. */
static int clear_way(struct tree *t, const struct edit_name *name, const struct f2fs_stat *st, enum found *found,
		     f2fs_nid_t *ino)
{
	const int is_dir = (st->mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR;
	struct f2fs_dirent there;
	int rc = edit_name_lookup(t->e, name, &there);

	*found = FOUND_NOTHING;
	if (rc)
		return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
	if (there.ino == st->ino)
		return edit_usage(t->e, "cp", name->path, "is the same file");
	if (is_dir && there.type == F2FS_TYPE_DIRECTORY) {
		*found = FOUND_DIRECTORY;
		*ino = there.ino;
		return 0;
	}
	if (is_dir || there.type == F2FS_TYPE_DIRECTORY)
		return edit_fail(t->e,
				 f2fs_context_fail(t->e->ctx, F2FS_ERR_EXISTS, "is in the way and has another type"),
				 name->path);
	rc = f2fs_remove(name->dir, name->name, name->length);
	*found = FOUND_OTHER;
	return rc ? edit_fail(t->e, rc, name->path) : 0;
}

/* Make an inode like that of the source under a name. */
static int make_like(struct tree *t, const struct edit_name *name, struct f2fs_inode *from, const struct f2fs_stat *st,
		     struct f2fs_inode **to)
{
	struct f2fs_new spec = { F2FS_SIZED(f2fs_new) };
	char *target = NULL;
	int rc = 0;

	edit_new(t->e, st->mode & F2FS_MODE_TYPE, &st->mode, &spec);
	spec.flags = F2FS_NEW_EXACT; /* ACLs are the source's */
	spec.uid = st->uid;
	spec.gid = st->gid;
	spec.rdev_major = st->rdev_major;
	spec.rdev_minor = st->rdev_minor;
	if ((st->mode & F2FS_MODE_TYPE) == F2FS_MODE_LNK) {
		target = malloc(TARGET_ROOM);
		rc = target ? f2fs_inode_readlink(from, target, TARGET_ROOM, &spec.target_length) : F2FS_ERR_NOMEM;
		spec.target = target;
	}
	if (!rc)
		rc = f2fs_create(name->dir, name->name, name->length, &spec, to);
	free(target);
	return rc ? edit_fail(t->e, rc, name->path) : 0;
}

/* Copy the entry of the walk; *ino: its copy. */
static int copy_inode(struct tree *t, const struct edit_name *name, struct f2fs_inode *from, const struct f2fs_stat *st,
		      f2fs_nid_t *ino)
{
	struct f2fs_inode *to;
	int rc = make_like(t, name, from, st, &to);

	if (rc)
		return rc;
	*ino = f2fs_inode_number(to);
	if ((st->mode & F2FS_MODE_TYPE) == F2FS_MODE_REG)
		rc = copy_contents(t->e, from, st->size, to, name->path);
	if (!rc)
		rc = set_xattrs(t->e, from, to, name->path);
	if (!rc)
		rc = set_times(t->e, to, st, name->path);
	if (!rc && (st->mode & F2FS_MODE_TYPE) != F2FS_MODE_DIR) /* whatever st->nlink says */
		rc = note_twin(t, st->ino, *ino);
	f2fs_inode_close(to);
	if (rc)
		edit_undo_file(t->e, name, 1);
	return rc;
}

static int copy_named(struct tree *t, const struct edit_name *name, struct f2fs_inode *from, const struct f2fs_stat *st,
		      f2fs_nid_t *ino)
{
	enum found found;
	f2fs_nid_t twin;
	int rc = clear_way(t, name, st, &found, ino);

	if (rc || found == FOUND_DIRECTORY)
		return rc;
	twin = find_twin(t, st->ino);
	rc = twin != F2FS_NO_NID ? link_twin(t, name, twin) : copy_inode(t, name, from, st, ino);
	if (rc && found == FOUND_OTHER) /* which is gone */
		f2fs_volume_fail(t->e->vol);
	return rc;
}

/* ---- the directories on the way */

static int open_place(struct tree *t, struct place *place)
{
	int rc = place->dir ? 0 : f2fs_inode_open(t->e->vol, place->ino, &place->dir);

	return rc ? edit_fail(t->e, rc, t->way.text) : 0;
}

static int enter(struct tree *t, f2fs_nid_t ino, const struct f2fs_stat *times)
{
	struct place *places = edit_grow(t->e, t->places, t->depth, &t->place_room, sizeof(*places));

	if (!places)
		return F2FS_ERR_NOMEM;
	t->places = places;
	if (t->depth >= NEAR_LEVELS) {
		f2fs_inode_close(places[t->depth - NEAR_LEVELS].dir);
		places[t->depth - NEAR_LEVELS].dir = NULL;
	}
	places[t->depth++] = (struct place){ .ino = ino, .times = *times, .path_length = t->way.length };
	return 0;
}

/* Leave the directories from that depth on: names made in one have changed its times. */
static int leave(struct tree *t, unsigned depth)
{
	int rc = 0;

	while (!rc && t->depth > depth) {
		struct place *last = &t->places[t->depth - 1];

		t->way.text[last->path_length] = '\0';
		rc = open_place(t, last);
		if (!rc)
			rc = set_times(t->e, last->dir, &last->times, t->way.text);
		f2fs_inode_close(last->dir);
		t->depth--;
	}
	return rc;
}

/* The name of the copy of an entry. */
static int name_copy(struct tree *t, const struct f2fs_walk_entry *entry, struct edit_name *name)
{
	struct place *above = entry->depth > 0 ? &t->places[entry->depth - 1] : NULL;
	int rc = edit_way_set(t->e, &t->way, above ? above->path_length : 0,
			      above ? entry->dirent->name : t->target->path);

	*name = *t->target;
	if (!rc && above) {
		rc = open_place(t, above);
		name->dir = above->dir;
		name->name = entry->dirent->name;
		name->length = entry->dirent->name_len;
	}
	name->path = t->way.text;
	return rc;
}

static int copy_entry(void *user, const struct f2fs_walk_entry *entry)
{
	struct tree *t = user;
	struct edit_name name;
	struct f2fs_stat st;
	f2fs_nid_t ino = F2FS_NO_NID;
	int rc = leave(t, entry->depth);

	if (rc)
		return rc;
	if (entry->error)
		return edit_fail(t->e, entry->error, *entry->path ? entry->path : t->source);
	rc = name_copy(t, entry, &name);
	if (rc)
		return rc;
	rc = f2fs_inode_stat(entry->inode, &st);
	if (rc)
		return edit_fail(t->e, rc, name.path);
	rc = copy_named(t, &name, entry->inode, &st, &ino);
	if (!rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
		rc = enter(t, ino, &st);
	return rc ? rc : cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

static void free_tree(struct tree *t)
{
	while (t->depth > 0)
		f2fs_inode_close(t->places[--t->depth].dir);
	free(t->places);
	free(t->twins);
	edit_way_free(&t->way);
}

/* A copy of a directory within itself would have no end: is the source above the target, or it? */
static int check_apart(struct tree *t, f2fs_nid_t source, const struct f2fs_inode *target_dir)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(t->e->vol);
	f2fs_nid_t ino = f2fs_inode_number(target_dir);
	int rc = 0;

	for (uint64_t steps = 0; !rc && ino != source && ino != geo->root_ino; steps++) {
		struct f2fs_dirent up;
		struct f2fs_inode *dir;

		if (steps > geo->max_nid)
			rc = f2fs_context_fail(t->e->ctx, F2FS_ERR_LOOP, "its parents form a loop");
		else
			rc = f2fs_inode_open(t->e->vol, ino, &dir);
		if (rc)
			break;
		rc = f2fs_dir_lookup(dir, "..", 2, &up);
		f2fs_inode_close(dir);
		ino = up.ino;
	}
	if (rc)
		return edit_fail(t->e, rc, t->target->path);
	return ino == source ? edit_usage(t->e, "cp", t->source, "cannot be copied into itself") : 0;
}

static int copy_tree(struct edit *e, const char *source, const char *operand)
{
	struct tree t = { .e = e, .source = source };
	struct f2fs_inode *from;
	struct edit_name name;
	struct f2fs_stat st;
	int rc = edit_open_stat(e, source, 0, &from, &st);

	if (rc)
		return rc;
	rc = edit_name_open_into(e, operand, source, &name);
	if (!rc) {
		const int is_dir = (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR;

		t.target = &name;
		if (is_dir)
			rc = check_apart(&t, st.ino, name.dir);
		if (!rc)
			rc = f2fs_walk(from, copy_entry, &t);
		if (!rc)
			rc = leave(&t, 0);
		if (!rc && cli_stopped())
			rc = edit_stopped(e, source);
		edit_name_close(&name);
	}
	free_tree(&t);
	f2fs_inode_close(from);
	return rc;
}

int do_cp(struct edit *e, const struct edit_call *call)
{
	const int is_deep = edit_has(call, 'r') || edit_has(call, 'R') || edit_has(call, 'a');
	const char *target = call->operands[call->count - 1];
	int rc = call->count > 2 ? edit_need_directory(e, target) : 0;

	for (int i = 0; !rc && i < call->count - 1; i++)
		rc = (is_deep ? copy_tree : copy_file)(e, call->operands[i], target);
	return rc;
}
