/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copies within the volume. A tree is walked once, and what the walk gives is made below the target; once everything is
 * there the directories get their times.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "edit/edit.h"

static int copy_contents(struct edit *e, struct f2fs_inode *from, uint64_t size, struct f2fs_inode *to,
			 const char *what)
{
	const uint32_t block_size = f2fs_volume_geometry(e->vol)->block_size;
	uint8_t *buffer = malloc(COPY_BYTES);
	uint64_t at = 0;
	int rc = buffer ? 0 : edit_no_memory(e);

	while (!rc && at < size) {
		struct f2fs_extent extent;
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

/* A file, or what a link leads to. */
static int copy_file(struct edit *e, const char *source, const char *operand)
{
	struct f2fs_inode *from, *to;
	struct edit_name name;
	struct f2fs_stat st;
	int is_new, rc = edit_open_stat(e, source, F2FS_LOOKUP_FOLLOW, &from, &st);

	if (rc)
		return rc;
	if ((st.mode & MODE_TYPE) != MODE_REG) {
		f2fs_inode_close(from);
		return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_IS_DIR, "not a regular file: -r copies others"),
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

struct tree {
	struct edit *e;
	const char *source;
	char *target;	    /* absolute */
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

/* A further name of what was copied already. */
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

/* What was found under the name of a copy. */
enum found { FOUND_NOTHING, FOUND_DIRECTORY, FOUND_OTHER };

/* What is in the way of a copy: a directory is entered by a directory, anything else goes. */
static int clear_way(struct tree *t, const struct edit_name *name, const struct f2fs_stat *st, enum found *found)
{
	const int is_dir = (st->mode & MODE_TYPE) == MODE_DIR;
	struct f2fs_dirent there;
	int rc = edit_name_lookup(t->e, name, &there);

	*found = FOUND_NOTHING;
	if (rc)
		return rc == F2FS_ERR_NOT_FOUND ? 0 : rc;
	if (there.ino == st->ino)
		return edit_usage(t->e, "cp", name->path, "is the same file");
	if (is_dir && there.type == F2FS_TYPE_DIRECTORY) {
		*found = FOUND_DIRECTORY;
		return 0;
	}
	if (is_dir || there.type == F2FS_TYPE_DIRECTORY)
		return edit_fail(t->e,
				 f2fs_context_fail(t->e->ctx, F2FS_ERR_EXISTS, "is in the way of another kind of file"),
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

	edit_new(t->e, st->mode & MODE_TYPE, &st->mode, &spec);
	spec.flags = F2FS_NEW_EXACT; /* ACLs are the source's */
	spec.uid = st->uid;
	spec.gid = st->gid;
	spec.rdev_major = st->rdev_major;
	spec.rdev_minor = st->rdev_minor;
	if ((st->mode & MODE_TYPE) == MODE_LNK) {
		target = malloc(TARGET_ROOM);
		rc = target ? f2fs_inode_readlink(from, target, TARGET_ROOM, &spec.target_length) : F2FS_ERR_NOMEM;
		spec.target = target;
	}
	if (!rc)
		rc = f2fs_create(name->dir, name->name, name->length, &spec, to);
	free(target);
	return rc ? edit_fail(t->e, rc, name->path) : 0;
}

static int copy_inode(struct tree *t, const struct edit_name *name, struct f2fs_inode *from, const struct f2fs_stat *st)
{
	struct f2fs_inode *to;
	int rc = make_like(t, name, from, st, &to);

	if (rc)
		return rc;
	if ((st->mode & MODE_TYPE) == MODE_REG)
		rc = copy_contents(t->e, from, st->size, to, name->path);
	if (!rc)
		rc = set_xattrs(t->e, from, to, name->path);
	if (!rc)
		rc = set_times(t->e, to, st, name->path);
	if (!rc && (st->mode & MODE_TYPE) != MODE_DIR) /* whatever st->nlink says */
		rc = note_twin(t, st->ino, f2fs_inode_number(to));
	f2fs_inode_close(to);
	if (rc)
		edit_undo_file(t->e, name, 1);
	return rc;
}

static int copy_entry(void *user, const struct f2fs_walk_entry *entry)
{
	struct tree *t = user;
	char *path = entry->error ? NULL : cli_join(t->target, entry->path);
	struct edit_name name;
	struct f2fs_stat st;
	enum found found = FOUND_NOTHING;
	int rc;

	if (entry->error)
		return edit_fail(t->e, entry->error, *entry->path ? entry->path : t->source);
	rc = path ? edit_name_open(t->e, path, &name) : edit_no_memory(t->e);
	free(path);
	if (rc)
		return rc;
	rc = f2fs_inode_stat(entry->inode, &st);
	if (rc)
		edit_fail(t->e, rc, name.path);
	else
		rc = clear_way(t, &name, &st, &found);
	if (!rc && found != FOUND_DIRECTORY) {
		const f2fs_nid_t twin = find_twin(t, st.ino);

		rc = twin != F2FS_NO_NID ? link_twin(t, &name, twin) : copy_inode(t, &name, entry->inode, &st);
		if (rc && found == FOUND_OTHER) /* which is gone */
			f2fs_volume_fail(t->e->vol);
	}
	edit_name_close(&name);
	return rc ? rc : cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

/* Names made in a directory have changed its times. */
static int restore_times(void *user, const struct f2fs_walk_entry *entry)
{
	struct tree *t = user;
	struct f2fs_inode *to;
	struct f2fs_stat st;
	char *path;
	int rc;

	if (!entry->inode || (entry->dirent && entry->dirent->type != F2FS_TYPE_DIRECTORY))
		return F2FS_WALK_GO;
	path = cli_join(t->target, entry->path);
	if (!path)
		return edit_no_memory(t->e);
	rc = f2fs_inode_stat(entry->inode, &st);
	if (!rc)
		rc = f2fs_lookup(t->e->vol, path, 0, &to);
	if (rc) {
		edit_fail(t->e, rc, path);
	} else {
		rc = set_times(t->e, to, &st, path);
		f2fs_inode_close(to);
	}
	free(path);
	return rc ? rc : F2FS_WALK_GO;
}

enum { PATH_ROOM = 1 << 16 };

/* A copy of a directory within itself would have no end. */
static int check_apart(struct tree *t, struct f2fs_inode *source, struct f2fs_inode *target_dir)
{
	char *from = malloc(PATH_ROOM), *to = malloc(PATH_ROOM);
	int rc = from && to ? f2fs_inode_path(source, from, PATH_ROOM) : edit_no_memory(t->e);
	size_t n;

	if (!rc)
		rc = f2fs_inode_path(target_dir, to, PATH_ROOM);
	n = rc ? 0 : strlen(from);
	if (!rc && (n == 1 || (!strncmp(from, to, n) && (!to[n] || to[n] == '/'))))
		rc = edit_usage(t->e, "cp", t->source, "cannot be copied into itself");
	else if (rc && from && to)
		edit_fail(t->e, rc, t->source);
	free(from);
	free(to);
	return rc;
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
		const int is_dir = (st.mode & MODE_TYPE) == MODE_DIR;

		t.target = name.path;
		if (is_dir)
			rc = check_apart(&t, from, name.dir);
		if (!rc)
			rc = f2fs_walk(from, copy_entry, &t);
		if (!rc && is_dir)
			rc = f2fs_walk(from, restore_times, &t);
		if (!rc && cli_stopped())
			rc = edit_stopped(e, source);
		edit_name_close(&name);
	}
	free(t.twins);
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
