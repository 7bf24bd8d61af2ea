/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Paths: from a path to an inode, and from an inode back to a path by its remembered parents.
 */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "file/crypto.h"
#include "file/data_read.h"
#include "file/dir_find.h"
#include "file/dir_read.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/path.h"

#define MAX_LINKS 40u	     /* symlinks followed in one lookup, as the kernel */
#define MAX_PATH (64u << 10) /* bytes of a path still to be walked, its NUL included */

/* The rest of the path. */
struct path_rest {
	struct f2fs_volume *vol;
	const char *text; /* empty, or begins with a slash; the start of a path may lack it */
	char *joined;	  /* buffer of text once a symlink was followed; NULL: it is the caller's path */
	unsigned links;
};

char *path_base(struct f2fs_context *ctx, const char *path)
{
	const size_t length = strlen(path), start = path[0] == '/' ? 0 : 1;
	char *base = mem_alloc(ctx, start + length + 1);
	size_t end = start + length;

	if (!base)
		return NULL;
	base[0] = '/';
	memcpy(base + start, path, length);
	while (end > 0 && base[end - 1] == '/')
		end--;
	base[end] = '\0';
	return base;
}

/* Put a symlink's target in front of the rest. */
static int follow(struct path_rest *rest, struct f2fs_inode *link)
{
	struct f2fs_context *ctx = rest->vol->ctx;
	const size_t room = (size_t)link->vol->geo.block_size + 1, rest_length = strlen(rest->text);
	char *joined;
	size_t length;
	int err;

	if (++rest->links > MAX_LINKS)
		return error_set(ctx, F2FS_ERR_LOOP, "more than %u symbolic links on the way", MAX_LINKS);
	if (inode_is_encrypted(link)) {
		struct file_key *key;
		int missing = crypto_need(link, "the target of a symbolic link", &key);

		if (missing)
			return missing;
	}
	joined = mem_alloc(ctx, room + rest_length);
	if (!joined)
		return F2FS_ERR_NOMEM;
	err = inode_readlink(link, joined, room, &length);
	if (!err && length + rest_length >= MAX_PATH)
		err = error_set(ctx, F2FS_ERR_NAME_TOO_LONG, "the path is too long");
	if (err) {
		mem_free(ctx, joined);
		return err;
	}
	memcpy(joined + length, rest->text, rest_length + 1);
	mem_free(ctx, rest->joined);
	rest->text = rest->joined = joined;
	return 0;
}

/* Step from the directory *at to the entry of the next component. */
static int step(struct path_rest *rest, const char *name, size_t n, bool is_last, unsigned flags,
		struct f2fs_inode **at)
{
	struct f2fs_dirent entry;
	struct f2fs_inode *child;
	int err = dir_lookup(*at, name, n, &entry);

	if (err)
		return err;
	err = inode_open(rest->vol, entry.ino, &child);
	if (err)
		return err;
	if (inode_type(child) != MODE_LNK || (is_last && !(flags & F2FS_LOOKUP_FOLLOW))) {
		f2fs_inode_close(*at);
		*at = child;
		return 0;
	}
	err = follow(rest, child);
	f2fs_inode_close(child);
	if (!err && rest->text[0] == '/') { /* an absolute target starts at the root */
		f2fs_inode_close(*at);
		*at = NULL;
		err = inode_open(rest->vol, rest->vol->geo.root_ino, at);
	}
	return err;
}

static int walk_path(struct path_rest *rest, unsigned flags, struct f2fs_inode **at)
{
	for (;;) {
		char name[F2FS_NAME_ROOM];
		const char *p = rest->text;
		size_t n, skip = strspn(p, "/"), slashes;
		int err;

		n = strcspn(p + skip, "/");
		if (n == 0)
			return 0;
		if (n >= sizeof(name))
			return error_set(rest->vol->ctx, F2FS_ERR_NAME_TOO_LONG, "a name on the path is too long");
		memcpy(name, p + skip, n);
		slashes = strspn(p + skip + n, "/");
		rest->text += skip + n;
		/* a slash after the last name requires a directory: a symlink there is followed */
		err = step(rest, name, n, p[skip + n] == '\0', flags, at);
		if (err)
			return err;
		if (slashes && inode_type(*at) != MODE_DIR)
			return error_set(rest->vol->ctx, F2FS_ERR_NOT_DIR, "inode %u is not a directory",
					 (unsigned)(*at)->ino);
	}
}

int f2fs_lookup(struct f2fs_volume *vol, const char *path, unsigned flags, struct f2fs_inode **out)
{
	struct path_rest rest = { .vol = vol, .text = path };
	struct f2fs_inode *at = NULL;
	int err;

	error_clear(vol->ctx);
	if (strlen(path) >= MAX_PATH)
		return error_set(vol->ctx, F2FS_ERR_NAME_TOO_LONG, "the path is too long");
	err = inode_open(vol, vol->geo.root_ino, &at);
	if (!err)
		err = walk_path(&rest, flags, &at);
	mem_free(vol->ctx, rest.joined);
	if (err)
		f2fs_inode_close(at);
	else
		*out = at;
	return err;
}

/* Find the entry that names ino in a directory; name takes F2FS_NAME_ROOM bytes. */
static int name_in_parent(struct f2fs_inode *parent, f2fs_nid_t ino, char *name)
{
	struct f2fs_dirent entry;
	struct f2fs_dir *dir;
	int err = dir_open(parent, &dir);

	if (err)
		return err;
	while ((err = dir_next(dir, &entry)) == 0 || err == F2FS_ERR_CORRUPT) {
		if (err || entry.ino != ino || strcmp(entry.name, ".") == 0 || strcmp(entry.name, "..") == 0)
			continue;
		memcpy(name, entry.name, (size_t)entry.name_len + 1);
		break;
	}
	f2fs_dir_close(dir);
	return err;
}

/* Put one more component in front of the path at the end of buffer. */
static int prepend(struct f2fs_context *ctx, char *buffer, size_t *at, const char *name)
{
	size_t n = strlen(name);

	if (n + 1 > *at)
		return error_set(ctx, F2FS_ERR_RANGE, "the path does not fit");
	*at -= n;
	memcpy(buffer + *at, name, n);
	buffer[--*at] = '/';
	return 0;
}

/* Detect a circle on the way: a mark that is set again after twice as many steps each time. */
struct circle {
	f2fs_nid_t mark;
	uint64_t steps, next; /* taken, and when the mark moves */
};

static bool runs_in_circle(struct circle *c, f2fs_nid_t ino)
{
	if (c->steps > 0 && ino == c->mark)
		return true;
	if (c->steps++ >= c->next) {
		c->mark = ino;
		c->next = 2 * c->steps;
	}
	return false;
}

/* A directory's parent is its ".." entry; others remember it in i_pino. */
static f2fs_nid_t parent_of(struct f2fs_inode *inode)
{
	struct f2fs_dirent dots;

	if (inode_type(inode) == MODE_DIR && dir_lookup(inode, "..", 2, &dots) == 0)
		return dots.ino;
	return inode_i_pino(inode->block);
}

int inode_path(struct f2fs_inode *inode, char *buffer, size_t size)
{
	struct f2fs_volume *vol = inode->vol;
	f2fs_nid_t ino = inode->ino, parent;
	int err = inode_sync(inode);
	struct circle circle = { .mark = F2FS_NO_NID };
	size_t at = size;

	if (err)
		return err;
	parent = parent_of(inode);
	if (size < 2)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "the path does not fit");
	buffer[--at] = '\0';
	while (!err && ino != vol->geo.root_ino) {
		char name[F2FS_NAME_ROOM];
		struct f2fs_inode *dir;

		if (runs_in_circle(&circle, ino))
			return error_set(vol->ctx, F2FS_ERR_LOOP, "the parents of inode %u run in a circle",
					 (unsigned)inode->ino);
		err = inode_open(vol, parent, &dir);
		if (err)
			break;
		err = inode_type(dir) == MODE_DIR ? name_in_parent(dir, ino, name) : F2FS_ERR_NOT_FOUND;
		if (!err)
			err = prepend(vol->ctx, buffer, &at, name);
		ino = parent;
		if (!err) /* it forgets the last error */
			parent = parent_of(dir);
		f2fs_inode_close(dir);
	}
	if (err == F2FS_ERR_NOT_FOUND || err == F2FS_ERR_NOT_DIR)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "no path of inode %u is known", (unsigned)inode->ino);
	if (err)
		return err;
	if (buffer[at] == '\0')
		buffer[--at] = '/';
	memmove(buffer, buffer + at, size - at);
	return 0;
}

int f2fs_inode_path(struct f2fs_inode *inode, char *buffer, size_t size)
{
	error_clear(inode->vol->ctx);
	return inode_path(inode, buffer, size);
}
