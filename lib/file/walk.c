/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walking a tree without recursion: a stack of directories. Each directory inode is entered once, so hostile links
 * between directories neither loop nor multiply, and the stack is no longer than the volume has inodes. The directories
 * near its end are open; one further up is opened again, where it was left, when the walk comes back to it.
 */
#include <string.h>

#include "base/error.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/inode_life.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/object.h"
#include "file/walk.h"

/* Two entries of a directory: the present one and the next one, so that the last one is known as such. */
struct ahead {
	struct f2fs_dirent entry[2];
	struct dir_place place[2];	    /* before the entry */
	uint64_t given_up[2];		    /* of the volume, when it was read */
	int err[2];			    /* of reading the entry */
	struct f2fs_error_detail detail[2]; /* when err is damage */
	unsigned at;			    /* which one comes next */
	bool primed;
};

/* A directory that is open. */
struct open_dir {
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	struct ahead ahead;
};

struct frame {
	struct open_dir *open;	/* NULL: far up */
	struct dir_place place; /* then: where it continues, */
	bool has_more;		/* if it does */
	f2fs_nid_t ino;
	struct inode_identity identity;
	size_t path_length;
};

struct walk {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct f2fs_inode *start; /* the caller's */
	struct vec frames;	  /* struct frame */
	struct vec path;	  /* char, NUL-terminated */
	size_t parent_length;	  /* bytes of path that name the directory of the entry at hand */
	struct map32 seen;	  /* directories entered */
	uint64_t loaded;	  /* blocks of directories read so far */
	int (*visit)(void *user, const struct f2fs_walk_entry *entry);
	void *user;
};

static int set_path(struct walk *w, size_t parent_length, const char *name, size_t n)
{
	char *p;

	w->parent_length = parent_length;
	w->path.count = parent_length;
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

/* Report an entry to visit. *enter: it is a directory to enter. Takes over inode unless entered. */
static int report(struct walk *w, const struct f2fs_dirent *dirent, struct f2fs_inode *inode, int error, bool is_last,
		  bool *enter)
{
	struct f2fs_walk_entry entry = { .path = w->path.items,
					 .dirent = dirent,
					 .inode = inode,
					 .depth = (unsigned)w->frames.count,
					 .error = error,
					 .is_last = is_last,
					 .path_length = w->path.count,
					 .parent_length = w->parent_length };
	int action = w->visit(w->user, &entry);

	*enter = action == F2FS_WALK_GO && inode && !error && inode_type(inode) == MODE_DIR &&
		 !inode_is_dead(inode); /* visit may have removed it */
	return action == F2FS_WALK_STOP ? 1 : action < 0 ? action : 0;
}

static struct frame *last_frame(const struct walk *w)
{
	return vec_at(&w->frames, w->frames.count - 1);
}

/* Close a directory of the walk; the start stays the caller's. */
static void close_dir(struct walk *w, struct open_dir *open)
{
	if (!open)
		return;
	f2fs_dir_close(open->dir);
	if (open->inode != w->start)
		f2fs_inode_close(open->inode);
	mem_free(w->ctx, open);
}

/* Open an inode (taken over, unless that fails) as a directory of the walk. */
static int open_dir(struct walk *w, struct f2fs_inode *inode, struct open_dir **out)
{
	struct open_dir *open = mem_zalloc(w->ctx, sizeof(*open));
	int err = open ? dir_open(inode, &open->dir) : F2FS_ERR_NOMEM;

	if (err) {
		mem_free(w->ctx, open);
		return err;
	}
	dir_count_into(open->dir, &w->loaded);
	open->inode = inode;
	*out = open;
	return 0;
}

/* Close a directory while the walk continues below it, and note the place. */
static void park(struct walk *w, struct frame *frame)
{
	const struct ahead *ahead = frame->open ? &frame->open->ahead : NULL;

	if (!ahead)
		return;
	frame->has_more = ahead->err[ahead->at] != F2FS_ERR_NOT_FOUND;
	frame->place = ahead->place[ahead->at];
	close_dir(w, frame->open);
	frame->open = NULL;
}

/* The walk came back to a directory. */
static int unpark(struct walk *w, struct frame *frame)
{
	struct f2fs_inode *inode = w->start;
	int err = frame == vec_at(&w->frames, 0) ? 0 : inode_open(w->vol, frame->ino, &inode);

	if (err)
		return err;
	if (!inode_is_the_same(inode, &frame->identity))
		err = error_set(w->ctx, F2FS_ERR_NOT_FOUND, "directory inode %u was removed while it was read",
				(unsigned)frame->ino);
	else
		err = open_dir(w, inode, &frame->open);
	if (err) {
		if (inode != w->start)
			f2fs_inode_close(inode);
		return err;
	}
	return dir_seek(frame->open->dir, &frame->place);
}

static int push_dir(struct walk *w, struct f2fs_inode *inode)
{
	struct open_dir *open;
	struct frame *frame;
	int err = map32_set(&w->seen, inode->ino, 1);

	if (!err)
		err = open_dir(w, inode, &open);
	if (err)
		return err;
	frame = vec_push(&w->frames, 1);
	if (!frame) {
		f2fs_dir_close(open->dir);
		mem_free(w->ctx, open);
		return F2FS_ERR_NOMEM;
	}
	frame->open = open;
	frame->ino = inode->ino;
	inode_identify(inode, &frame->identity);
	frame->path_length = w->path.count;
	if (w->frames.count > NEAR_LEVELS)
		park(w, frame - NEAR_LEVELS);
	return 0;
}

static void pop_dir(struct walk *w)
{
	close_dir(w, last_frame(w)->open);
	w->frames.count--;
}

/* May this directory be entered? Records why not. */
static int check_enter(struct walk *w, struct f2fs_inode *inode)
{
	if (map32_find(&w->seen, inode->ino))
		return inode_corrupt(inode, RULE_DENTRY_PATH, "directory inode %u is reached a second time",
				     (unsigned)inode->ino);
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
static void read_ahead(struct walk *w, struct open_dir *open, unsigned i)
{
	struct ahead *ahead = &open->ahead;
	const char *name = ahead->entry[i].name;

	dir_tell(open->dir, &ahead->place[i]);
	ahead->given_up[i] = w->vol->files.given_up;
	do {
		ahead->err[i] = dir_next(open->dir, &ahead->entry[i]);
	} while (!ahead->err[i] && (strcmp(name, ".") == 0 || strcmp(name, "..") == 0));
	if (ahead->err[i])
		ahead->detail[i] = w->ctx->error;
}

/* Advance to the next entry of the directory; returns its slot, whose neighbour holds the one after that. */
static unsigned take_next(struct walk *w, struct open_dir *open)
{
	struct ahead *ahead = &open->ahead;
	unsigned i = ahead->at;

	if (!ahead->primed) {
		read_ahead(w, open, i);
		ahead->primed = true;
	}
	if (ahead->err[i] != F2FS_ERR_NOT_FOUND && ahead->err[i] != F2FS_ERR_NOMEM)
		read_ahead(w, open, i ^ 1);
	ahead->at = i ^ 1;
	return i;
}

/* Has the name gone since it was read, or another inode got it? The number alone may be another inode's by now. */
static bool is_stale(const struct walk *w, const struct open_dir *open, unsigned i)
{
	const struct f2fs_dirent *entry = &open->ahead.entry[i];
	struct f2fs_dirent now;
	int err;

	if (open->ahead.given_up[i] == w->vol->files.given_up || open->inode->is_past)
		return false;
	err = dir_find(open->inode, entry->name, entry->name_len, &now);
	return err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_STATE || (!err && now.ino != entry->ino);
}

/* Report that a part of the present directory cannot be read, with the directory's path. */
static int report_damage(struct walk *w, const struct frame *frame, int err)
{
	bool enter;

	if (err == F2FS_ERR_NOMEM)
		return err;
	w->parent_length = 0;
	w->path.count = frame->path_length;
	((char *)w->path.items)[frame->path_length] = '\0';
	return report(w, NULL, frame->open ? frame->open->inode : NULL, err, false, &enter);
}

/* Make the last directory of the stack the one at hand; *is_done: there is no more of it. */
static int take_up(struct walk *w, struct frame *frame, bool *is_done)
{
	int err = 0;

	*is_done = !frame->open && !frame->has_more;
	if (!frame->open && frame->has_more) {
		err = unpark(w, frame);
		*is_done = !frame->open;
	}
	return err ? report_damage(w, frame, err) : 0;
}

static int step(struct walk *w)
{
	struct frame *frame = last_frame(w);
	const struct f2fs_dirent *dirent;
	struct ahead *ahead;
	bool is_done, is_last;
	unsigned i;
	int err = take_up(w, frame, &is_done);

	if (err)
		return err;
	if (is_done) {
		pop_dir(w);
		return 0;
	}
	ahead = &frame->open->ahead;
	i = take_next(w, frame->open);
	dirent = &ahead->entry[i];
	is_last = ahead->err[i ^ 1] == F2FS_ERR_NOT_FOUND;
	err = ahead->err[i];
	if (err == F2FS_ERR_NOT_FOUND) {
		pop_dir(w);
		error_clear(w->ctx);
		return 0;
	}
	if (err) { /* a damaged entry or block, or the directory is gone */
		int ret;

		w->ctx->error = ahead->detail[i];
		ret = report_damage(w, frame, err);
		if (err == F2FS_ERR_STATE)
			pop_dir(w);
		return ret;
	}
	if (is_stale(w, frame->open, i))
		return 0;
	err = set_path(w, frame->path_length, dirent->name, dirent->name_len);
	return err ? err : visit_entry(w, dirent, is_last);
}

int walk_tree(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry), void *user)
{
	struct walk w = {
		.ctx = start->vol->ctx, .vol = start->vol, .start = start, .visit = visit, .user = user
	};
	bool enter = false;
	int err = inode_sync(start);

	if (err)
		return err;
	if (start->is_past && !start->vol->as_of)
		return error_set(w.ctx, F2FS_ERR_INVALID, "an old version of a directory has no tree below it");
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

int f2fs_walk(struct f2fs_inode *start, int (*visit)(void *user, const struct f2fs_walk_entry *entry), void *user)
{
	error_clear(start->vol->ctx);
	return walk_tree(start, visit, user);
}
