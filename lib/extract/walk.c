/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walk over the volume, choose entries by path, pattern and type, and pass them to the sink. Further names of a file
 * become hard links. Directories are made when the first entry needs them, so that patterns leave no empty ones.
 */
#include "extract/walk.h"

#include <assert.h>
#include <string.h>

#include "base/glob.h"
#include "extract/link.h"
#include "extract/names.h"
#include "extract/run.h"
#include "file/compress.h"
#include "file/crypto.h"
#include "file/inode_sync.h"
#include "file/object.h"
#include "sink/dir.h"
#include "sink/lists.h"
#include "sink/owner.h"
#include "sink/report.h"
#include "sink/xattr.h"
#include "volume/block_read.h"

#define PROGRESS_STEP 256u /* entries */

static uint32_t map_id(const struct f2fs_id_map *map, unsigned count, uint32_t id)
{
	for (unsigned i = 0; i < count; i++)
		if (id >= map[i].first && id - map[i].first < map[i].count)
			return map[i].to + (id - map[i].first);
	return id;
}

static void get_attr(const struct extract *x, const struct f2fs_stat *stat, struct sink_attr *out)
{
	const struct f2fs_extract_options *o = x->options;

	out->mode = stat->mode;
	out->uid = map_id(o->uid_map, o->uid_map_count, stat->uid);
	out->gid = map_id(o->gid_map, o->gid_map_count, stat->gid);
	out->is_mapped = out->uid != stat->uid || out->gid != stat->gid;
	out->projid = stat->projid;
	out->flags = stat->flags;
	out->atime = stat->atime;
	out->mtime = stat->mtime;
}

static int entry_problem(struct extract *x, int kind, const struct sink_entry *e, const char *what)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino, .what = what };

	return sink_problem(&x->sink, kind, &place);
}

/* ---- directories on the way */

/* Go up until the walk is in a directory of that depth. */
static int go_up_to(struct extract *x, uint32_t depth)
{
	int err = 0;

	while (!err && x->dir && x->dir->depth > depth) {
		struct sink_dir *dir = x->dir;

		x->dir = dir->parent ? sink_dir_ref(dir->parent) : NULL;
		err = sink_dir_put(&x->sink, dir);
	}
	return err;
}

/* Are the entries of a directory of that depth put straight into the destination? */
static bool is_outside(const struct extract *x, uint32_t depth)
{
	const struct extract_target *target = x->target;

	if (depth == 0)
		return target->strip || ((x->options->flags & F2FS_EXTRACT_RELATIVE) && target->depth);
	return depth <= target->strip;
}

/* Go down into a directory, the current entry. */
static int go_down(struct extract *x, const struct sink_entry *e, bool is_included)
{
	struct sink_dir *dir;
	int err = sink_dir_new(&x->sink, x->dir, e->name, e->name_length, &dir);

	if (err)
		return err;
	dir->ino = e->stat.ino;
	dir->attr = e->attr;
	dir->has_xattrs = sink_has_xattrs(e->inode);
	dir->is_included = is_included;
	if (is_outside(x, dir->depth))
		dir->state = DIR_OUTSIDE;
	if (x->dir)
		x->dir->refs--; /* the new directory has a reference of its own */
	x->dir = dir;
	return 0;
}

/* Report a directory that was made. */
static int tell_dir(struct extract *x, struct sink_dir *dir)
{
	struct sink_entry e = { .dir = dir };
	int err;

	x->inodes_done++;
	if (!sink_tells_entries(&x->sink))
		return 0;
	err = f2fs_inode_open(x->vol, dir->ino, &e.inode);
	if (err)
		return err;
	err = f2fs_inode_stat(e.inode, &e.stat);
	if (!err)
		err = sink_tell_entry(&x->sink, &e, true);
	f2fs_inode_close(e.inode);
	return err;
}

/* Find the topmost directory to make before dir; next_down leads from each to the next. NULL: dir is there already. */
static struct sink_dir *first_planned(struct sink_dir *dir)
{
	if (dir->state != DIR_PLANNED)
		return NULL;
	dir->next_down = NULL;
	while (dir->parent && dir->parent->state == DIR_PLANNED) {
		dir->parent->next_down = dir;
		dir = dir->parent;
	}
	return dir;
}

/* Make a directory and those above it that are not there yet. SINK_LEFT when that fails. */
static int need_dir(struct extract *x, struct sink_dir *dir)
{
	int err = 0;

	for (struct sink_dir *d = first_planned(dir), *next; d && !err; d = next) {
		next = d->next_down; /* make_dir may overwrite it */
		if (d->parent && d->parent->state == DIR_FAILED)
			d->state = DIR_FAILED;
		else
			err = x->sink.ops->make_dir(&x->sink, d);
		if (err < 0)
			return err;
		err = d->state == DIR_FAILED ? SINK_LEFT : tell_dir(x, d);
	}
	return dir->state == DIR_FAILED ? SINK_LEFT : err;
}

static int visit_dir(struct extract *x, const struct sink_entry *e, bool is_included)
{
	int err = go_down(x, e, is_included);

	if (err)
		return err;
	if (x->dir->state == DIR_OUTSIDE)
		return F2FS_WALK_GO;
	err = is_included ? need_dir(x, x->dir) : 0;
	return err < 0 ? err : err == SINK_LEFT ? F2FS_WALK_SKIP : F2FS_WALK_GO;
}

/* ---- other entries */

/* Apply the policy to an entry whose contents are encrypted. Returns 0 to continue, or SINK_LEFT. */
static int judge_encrypted(struct extract *x, const struct sink_entry *e)
{
	const struct sink_place place = { .dir = e->dir, .name = e->name, .ino = e->stat.ino, .what = "contents" };
	int err;

	if (x->options->encrypted == F2FS_ENCRYPTED_SKIP) {
		x->result.skipped++;
		return SINK_LEFT;
	}
	crypto_refuse(e->inode, "contents");
	/* clusters are compressed before they are encrypted, so ciphertext cannot be extracted as a file */
	if (x->options->encrypted == F2FS_ENCRYPTED_RAW && !e->inode->layout.is_compressed)
		return sink_remark(&x->sink, F2FS_PROBLEM_ENCRYPTED, &place);
	err = sink_problem(&x->sink, F2FS_PROBLEM_ENCRYPTED, &place);
	return err ? err : SINK_LEFT;
}

static int put_symlink(struct extract *x, struct sink_entry *e)
{
	const size_t room = x->vol->geo.block_size + 1u;
	int err;

	if (x->target_text.room < room && vec_reserve(&x->target_text, room))
		return F2FS_ERR_NOMEM;
	err = f2fs_inode_readlink(e->inode, x->target_text.items, room, &e->target_length);
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (!err && !e->target_length)
		err = inode_corrupt(e->inode, RULE_SYMLINK_SIZE, "the target is empty");
	if (err) {
		err = entry_problem(x, F2FS_PROBLEM_UNREADABLE, e, "target");
		return err ? err : SINK_LEFT;
	}
	e->target = x->target_text.items;
	return x->sink.ops->put_symlink(&x->sink, e);
}

/* Make a hard link if the file was extracted under another name; *is_link: it was. */
static int put_link(struct extract *x, const struct sink_entry *e, bool *is_link)
{
	struct extract_link *first = extract_link_find(x, e->stat.ino);
	int err, left;

	*is_link = first != NULL;
	if (!first && extract_names_made(x, e->stat.ino, false)) { /* in a directory that the survey took for a file */
		inode_corrupt(e->inode, RULE_DENTRY_PATH, "it was extracted under other names already");
		err = entry_problem(x, F2FS_PROBLEM_UNREADABLE, e, NULL);
		return err ? err : SINK_LEFT;
	}
	if (!first)
		return 0;
	left = x->sink.ops->put_link(&x->sink, e, &first->first);
	if (left < 0)
		return left;
	x->result.links += left == 0;
	err = extract_link_used(x, e->stat.ino);
	return err ? err : left;
}

/* Refuse a file that this build cannot decompress, rather than make one with holes. */
static int put_file(struct extract *x, struct sink_entry *e)
{
	int err = e->is_cipher ? 0 : compress_need(e->inode);

	if (!err)
		return x->sink.ops->put_file(&x->sink, e);
	err = entry_problem(x, F2FS_PROBLEM_UNREADABLE, e, "contents");
	return err ? err : SINK_LEFT;
}

static int put_by_type(struct extract *x, struct sink_entry *e)
{
	switch (e->stat.mode & MODE_TYPE) {
	case MODE_REG:
		return put_file(x, e);
	case MODE_LNK:
		return put_symlink(x, e);
	default:
		if (sink_keeps(&x->sink, F2FS_KEEP_SPECIAL))
			return x->sink.ops->put_special(&x->sink, e);
		x->result.skipped++;
		return SINK_LEFT;
	}
}

/* Make an entry that is no hard link to an earlier one. */
static int put_new(struct extract *x, struct sink_entry *e)
{
	const uint32_t type = e->stat.mode & MODE_TYPE;
	struct file_key *key = NULL;
	int err = 0;

	e->names = extract_names_of(x, e->stat.ino);
	if (e->stat.is_encrypted && (type == MODE_LNK || (type == MODE_REG && e->stat.size)))
		err = crypto_find(e->inode, &key);
	e->is_cipher = !err && e->stat.is_encrypted && !key;
	if (e->is_cipher && (type == MODE_LNK || (type == MODE_REG && e->stat.size)))
		err = judge_encrypted(x, e);
	if (!err)
		err = put_by_type(x, e);
	if (!err)
		extract_names_made(x, e->stat.ino, true);
	if (!err && e->names > 1)
		err = extract_link_add(x, e);
	return err;
}

static int visit_other(struct extract *x, struct sink_entry *e)
{
	bool is_link = false;
	int err;

	assert(e->dir); /* the root is a directory */
	if (e->dir->depth < x->target->strip) {
		x->result.skipped++;
		return F2FS_WALK_GO;
	}
	err = need_dir(x, e->dir);
	if (!err)
		err = put_link(x, e, &is_link);
	if (!err && !is_link)
		err = put_new(x, e);
	if (!err || err == SINK_LISTED) {
		x->inodes_done++;
		err = sink_tell_entry(&x->sink, e, !err);
	}
	return err < 0 ? err : F2FS_WALK_GO;
}

/* ---- the current entry */

static int report_progress(struct extract *x)
{
	x->progress.done = x->inodes_done;
	return x->inodes_done % PROGRESS_STEP ? 0 : progress_report(x->ctx, &x->progress);
}

/* May no host make an entry of this name? */
static bool is_bad_name(const char *name, size_t length)
{
	return !length || strlen(name) != length || strchr(name, '/') || !strcmp(name, ".") || !strcmp(name, "..");
}

static int visit_good(struct extract *x, struct sink_entry *e)
{
	const struct f2fs_extract_options *o = x->options;
	bool is_included = !o->include_count || (e->dir && e->dir->is_included);
	int err = sink_check_owner(&x->sink);

	if (err)
		return err;
	err = f2fs_inode_stat(e->inode, &e->stat);
	if (err) {
		err = entry_problem(x, F2FS_PROBLEM_UNREADABLE, e, NULL);
		return err ? err : F2FS_WALK_SKIP;
	}
	get_attr(x, &e->stat, &e->attr);
	if (e->dir && (o->include_count || o->exclude_count)) {
		err = sink_short_path(&x->sink, &x->path, e->dir, e->name, 0);
		if (err)
			return err;
		if (glob_match_any(o->exclude, o->exclude_count, x->path.items))
			return F2FS_WALK_SKIP;
		is_included = pattern_set_match_any(&x->include, x->path.items, is_included);
	}
	err = report_progress(x);
	if (err)
		return err;
	if ((e->stat.mode & MODE_TYPE) == MODE_DIR)
		return visit_dir(x, e, is_included);
	return is_included ? visit_other(x, e) : F2FS_WALK_GO;
}

static int visit(void *user, const struct f2fs_walk_entry *found)
{
	struct extract *x = user;
	const uint32_t depth = x->target->depth + found->depth;
	struct f2fs_context *ctx = x->vol->ctx;
	const struct f2fs_error_detail why = ctx->error; /* finishing directories may clear it */
	char substitute[SINK_NAME_ROOM] = "";
	struct sink_entry e = { .inode = found->inode, .substitute = substitute };
	int err = 0;

	if (depth > 0)
		err = go_up_to(x, depth - 1);
	if (err)
		return err;
	if (found->error)
		ctx->error = why;
	e.dir = x->dir;
	if (found->dirent) {
		e.name = found->dirent->name;
		e.name_length = found->dirent->name_len;
		e.stat.ino = found->dirent->ino;
	} else if (found->depth == 0) {
		e.name = x->target_name;
		e.name_length = strlen(e.name);
		e.stat.ino = x->target->ino;
	} /* else: damage within the directory itself */
	if (!found->error && e.dir && is_bad_name(e.name, e.name_length))
		volume_corrupt(x->vol, RULE_DENTRY_CHARS, F2FS_NO_BLOCK, e.stat.ino, "a name that cannot be made");
	else if (!found->error)
		return visit_good(x, &e);
	err = entry_problem(x, F2FS_PROBLEM_UNREADABLE, &e, e.name || !e.dir ? NULL : "entries");
	return err ? err : F2FS_WALK_SKIP;
}

/* ---- targets */

/* Find the component of a path that begins at or after a place. Returns its start, *length is its length. */
static const char *component(const char *at, size_t *length)
{
	at += *at == '/';
	*length = strcspn(at, "/");
	return at;
}

/*
 * Count the directories that are above both dir and the target; *at: the component of the target's path after them.
 */
static uint32_t common_depth(struct sink_dir *dir, const struct extract_target *target, const char **at)
{
	struct sink_dir *next = NULL;
	uint32_t depth = 0;
	size_t length;

	for (; dir; dir = dir->parent) {
		dir->next_down = next;
		next = dir;
	}
	*at = target->path;
	for (dir = next ? next->next_down : NULL; dir && depth + 1 < target->depth; dir = dir->next_down, depth++) {
		const char *name = component(*at, &length);

		if (length != dir->name_length || memcmp(name, dir->name, length) != 0)
			break;
		*at = name + length;
	}
	return depth;
}

/* Go down by one component of the target's path. */
static int enter_ancestor(struct extract *x, const char *name, size_t length)
{
	struct f2fs_inode *inode = NULL, *parent = NULL;
	struct f2fs_dirent dirent = { .ino = x->vol->geo.root_ino, .name = "" };
	struct sink_entry e = { .dir = x->dir };
	int err = 0;

	if (x->dir) {
		err = f2fs_inode_open(x->vol, x->dir->ino, &parent);
		if (!err)
			err = f2fs_dir_lookup(parent, name, length, &dirent);
		f2fs_inode_close(parent);
	}
	if (!err)
		err = f2fs_inode_open(x->vol, dirent.ino, &inode);
	if (!err)
		err = f2fs_inode_stat(inode, &e.stat);
	if (!err) {
		e.name = dirent.name;
		e.name_length = x->dir ? dirent.name_len : 0;
		e.inode = inode;
		get_attr(x, &e.stat, &e.attr);
		err = go_down(x, &e, !x->options->include_count);
	}
	f2fs_inode_close(inode);
	return err;
}

int extract_walk(struct extract *x, const struct extract_target *target)
{
	struct f2fs_inode *start;
	const char *at;
	size_t length;
	int err;

	x->target = target;
	x->sink.strip = target->strip;
	err = go_up_to(x, common_depth(x->dir, target, &at));
	if (!err && x->dir && target->depth == 0)
		err = extract_walk_end(x);
	if (!err && !x->dir && target->depth > 0)
		err = enter_ancestor(x, "", 0);
	while (!err && target->depth > 0 && x->dir->depth + 1 < target->depth) {
		at = component(at, &length);
		err = enter_ancestor(x, at, length);
		at += length;
	}
	if (err)
		return err;
	x->target_name = component(at, &length);
	err = f2fs_inode_open(x->vol, target->ino, &start);
	if (err)
		return err;
	err = f2fs_walk(start, visit, x);
	f2fs_inode_close(start);
	return err;
}

int extract_walk_end(struct extract *x)
{
	struct sink_dir *dir = x->dir;

	x->dir = NULL;
	return sink_dir_put(&x->sink, dir);
}
