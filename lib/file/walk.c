/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walking a tree without recursion: a stack of open directories. Each directory inode is entered once, so hostile links
 * between directories neither loop nor multiply; the stack is bounded.
 */
#include <string.h>

#include "file/object.h"

#define MAX_DEPTH 4096u /* levels; a level costs some 12 KiB at 4 KiB blocks */

/* Two entries of a directory: the one at hand and the one behind it, so that the last one is known as such. */
struct ahead {
	struct f2fs_dirent entry[2];
	int err[2];			    /* of reading the entry */
	struct f2fs_error_detail detail[2]; /* when err is damage */
	unsigned at;			    /* which one comes next */
	bool primed;
};

struct frame {
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	struct ahead *ahead;
	size_t path_length;
};

struct walk {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct vec frames; /* struct frame */
	struct vec path;   /* char, NUL-terminated */
	struct map32 seen; /* directories entered */
	uint64_t loaded;   /* blocks of directories read so far */
	int (*visit)(void *user, const struct f2fs_walk_entry *entry);
	void *user;
};

static int set_path(struct walk *w, size_t parent_length, const char *name, size_t n)
{
	char *p;

	w->path.count = 0;
	if (vec_reserve(&w->path, parent_length + n + 2) != 0)
		return F2FS_ERR_NOMEM;
	p = (char *)w->path.items;
	if (parent_length)
		p[parent_length++] = '/';
	memcpy(p + parent_length, name, n);
	p[parent_length + n] = '\0';
	w->path.count = parent_length + n;
	return 0;
}

/* Tell visit about an entry. *enter: it is a directory that wants to be entered. Takes over inode unless entered. */
static int report(struct walk *w, const struct f2fs_dirent *dirent, struct f2fs_inode *inode, int error, bool is_last,
		  bool *enter)
{
	struct f2fs_walk_entry entry = { .path = w->path.items,
					 .dirent = dirent,
					 .inode = inode,
					 .depth = (unsigned)w->frames.count,
					 .error = error,
					 .is_last = is_last };
	int action = w->visit(w->user, &entry);

	*enter = action == F2FS_WALK_GO && inode && !error && inode_type(inode) == MODE_DIR;
	return action == F2FS_WALK_STOP ? 1 : action < 0 ? action : 0;
}

static int push_dir(struct walk *w, struct f2fs_inode *inode)
{
	struct frame *frame;
	struct ahead *ahead;
	struct f2fs_dir *dir;
	int err = map32_set(&w->seen, inode->ino, 1);

	if (!err)
		err = dir_open(inode, &dir);
	if (err)
		return err;
	dir_count_into(dir, &w->loaded);
	ahead = mem_zalloc(w->ctx, sizeof(*ahead));
	frame = ahead ? vec_push(&w->frames, 1) : NULL;
	if (!frame) {
		mem_free(w->ctx, ahead);
		f2fs_dir_close(dir);
		return F2FS_ERR_NOMEM;
	}
	frame->inode = inode;
	frame->dir = dir;
	frame->ahead = ahead;
	frame->path_length = w->path.count;
	return 0;
}

static void pop_dir(struct walk *w)
{
	struct frame *frame = vec_at(&w->frames, --w->frames.count);

	f2fs_dir_close(frame->dir);
	mem_free(w->ctx, frame->ahead);
	if (w->frames.count > 0) /* the start belongs to the caller */
		f2fs_inode_close(frame->inode);
}

/* May this directory be entered? Records why not. */
static int check_enter(struct walk *w, struct f2fs_inode *inode)
{
	if (map32_find(&w->seen, inode->ino))
		return inode_corrupt(inode, RULE_DENTRY_PATH, "directory inode %u is reached a second time",
				     (unsigned)inode->ino);
	if (w->frames.count >= MAX_DEPTH)
		return error_set(w->ctx, F2FS_ERR_TOO_BIG, "directories are nested more than %u deep", MAX_DEPTH);
	return 0;
}

static int visit_entry(struct walk *w, const struct f2fs_dirent *dirent, bool is_last)
{
	struct f2fs_inode *inode = NULL;
	bool enter;
	int err, ret;

	error_clear(w->ctx);
	err = inode_open(w->vol, dirent->ino, &inode);
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (!err && inode_type(inode) == MODE_DIR)
		err = check_enter(w, inode);
	ret = report(w, dirent, inode, err, is_last, &enter);
	if (!ret && enter) {
		ret = push_dir(w, inode);
		if (!ret)
			return 0;
	}
	f2fs_inode_close(inode);
	return ret;
}

/* Read an entry other than the dots into slot i. */
static void read_ahead(struct walk *w, struct frame *frame, unsigned i)
{
	struct ahead *ahead = frame->ahead;
	const char *name = ahead->entry[i].name;

	do {
		ahead->err[i] = dir_next(frame->dir, &ahead->entry[i]);
	} while (!ahead->err[i] && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0));
	if (ahead->err[i])
		ahead->detail[i] = w->ctx->error;
}

/* Go on to the next entry of the directory; returns its slot, whose neighbour holds the one after that. */
static unsigned take_next(struct walk *w, struct frame *frame)
{
	struct ahead *ahead = frame->ahead;
	unsigned i = ahead->at;

	if (!ahead->primed) {
		read_ahead(w, frame, i);
		ahead->primed = true;
	}
	if (ahead->err[i] != F2FS_ERR_NOT_FOUND && ahead->err[i] != F2FS_ERR_NOMEM)
		read_ahead(w, frame, i ^ 1);
	ahead->at = i ^ 1;
	return i;
}

static int step(struct walk *w)
{
	struct frame *frame = vec_at(&w->frames, w->frames.count - 1);
	struct ahead *ahead = frame->ahead;
	unsigned i = take_next(w, frame);
	const struct f2fs_dirent *dirent = &ahead->entry[i];
	bool is_last = ahead->err[i ^ 1] == F2FS_ERR_NOT_FOUND, enter;
	int err = ahead->err[i];

	if (err == F2FS_ERR_NOT_FOUND) {
		pop_dir(w);
		error_clear(w->ctx);
		return 0;
	}
	if (err)
		w->ctx->error = ahead->detail[i];
	if (err == F2FS_ERR_NOMEM)
		return err;
	if (err) { /* a damaged entry or block: told with the directory's own path, which is still in front */
		w->path.count = frame->path_length;
		((char *)w->path.items)[frame->path_length] = '\0';
		return report(w, NULL, frame->inode, err, false, &enter);
	}
	err = set_path(w, frame->path_length, dirent->name, dirent->name_len);
	return err ? err : visit_entry(w, dirent, is_last);
}

int f2fs_walk(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry), void *user)
{
	struct walk w = { .ctx = start->vol->ctx, .vol = start->vol, .visit = visit, .user = user };
	bool enter = false;
	int err;

	error_clear(w.ctx);
	if (start->is_past && !start->vol->as_of)
		return error_set(w.ctx, F2FS_ERR_INVALID, "what was below an old version of a directory is no tree");
	vec_init(&w.frames, w.ctx, sizeof(struct frame));
	vec_init(&w.path, w.ctx, 1);
	map32_init(&w.seen, w.ctx);
	err = set_path(&w, 0, "", 0);
	if (!err)
		err = report(&w, NULL, start, 0, true, &enter);
	if (!err && enter)
		err = push_dir(&w, start);
	while (!err && w.frames.count > 0)
		err = step(&w);
	while (w.frames.count > 0)
		pop_dir(&w);
	vec_fini(&w.frames);
	vec_fini(&w.path);
	map32_fini(&w.seen);
	return err < 0 ? err : 0;
}
