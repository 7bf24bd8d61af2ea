/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A layer over the requests about extended attributes: old files have attributes user.f2fskit.* that say how much of
 * them is left, and where.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/limits.h>

#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mount_history.h"
#include "fuse/mounted.h"
#include "fuse/serve.h"
#include "fuse/serve_xattrs.h"

#define MARK_PREFIX "user.f2fskit."

static struct fuse_lowlevel_ops below; /* set once, before the first request */

/* Each writes the text of a mark, and returns its length; 0: it does not apply. */

static int put_state(const struct history_marks *e, char *text, size_t room)
{
	return snprintf(text, room, "%s", f2fs_confidence_name(e->confidence));
}

static int put_path_state(const struct history_marks *e, char *text, size_t room)
{
	static const char *const names[] = { "sure", "likely", "part" };

	return e->path_state < 0 || e->path_state > 2 ? 0 : snprintf(text, room, "%s", names[e->path_state]);
}

static int put_inode(const struct history_marks *e, char *text, size_t room)
{
	return snprintf(text, room, "%u", (unsigned)e->ino);
}

static int put_address(const struct history_marks *e, char *text, size_t room)
{
	return e->addr ? snprintf(text, room, "%u", (unsigned)e->addr) : 0;
}

static int put_version(const struct history_marks *e, char *text, size_t room)
{
	return e->addr ? snprintf(text, room, "%u", (unsigned)e->cp_ver) : 0;
}

static int put_blocks(const struct history_marks *e, char *text, size_t room)
{
	const struct f2fs_remains *r = &e->remains;

	return snprintf(text, room,
			"current=%llu intact=%llu unknown=%llu blank=%llu overwritten=%llu bad=%llu lost=%llu",
			(unsigned long long)r->current, (unsigned long long)r->intact, (unsigned long long)r->unknown,
			(unsigned long long)r->blank, (unsigned long long)r->overwritten, (unsigned long long)r->bad,
			(unsigned long long)r->lost);
}

static const struct {
	const char *name;
	int (*put)(const struct history_marks *e, char *text, size_t room);
} marks[] = {
	{ MARK_PREFIX "state", put_state },	{ MARK_PREFIX "path_state", put_path_state },
	{ MARK_PREFIX "inode", put_inode },	{ MARK_PREFIX "address", put_address },
	{ MARK_PREFIX "version", put_version }, { MARK_PREFIX "blocks", put_blocks },
};
enum { MARKS = sizeof(marks) / sizeof(marks[0]), TEXT = 256 };

static int has_marks(fuse_ino_t number)
{
	return number >> 32 == SPACE_PAST || number >> 32 == SPACE_DELETED;
}

/* Entries that are no inodes, such as a file of which only the name is left, have marks at most. */
static int is_inode(struct mount *m, fuse_ino_t number)
{
	const uint64_t space = number >> 32;

	return space == SPACE_VOLUME || space == SPACE_PAST || space >= SPACE_VIEWS ||
	       (space == SPACE_DELETED && !history_mode(m, number));
}

static void getxattr_(fuse_req_t req, fuse_ino_t number, const char *name, size_t room)
{
	struct history_marks e;
	struct mount *m;
	char text[TEXT];
	int length = 0, err, here;

	if (number >> 32 == SPACE_VOLUME) {
		below.getxattr(req, number, name, room);
		return;
	}
	m = mount_enter_quietly(req);
	err = has_marks(number) ? history_marks(m, number, &e) : F2FS_ERR_NO_ATTR;
	for (unsigned i = 0; !err && i < MARKS; i++)
		if (!strcmp(marks[i].name, name))
			length = marks[i].put(&e, text, sizeof(text));
	here = length > 0 || !is_inode(m, number);
	mount_leave(m);
	if (here)
		xattr_reply(req, length > 0 ? 0 : ENODATA, text, (size_t)length, room);
	else
		below.getxattr(req, number, name, room);
}

/* Put the names of all marks that apply; their length. */
static size_t put_names(struct mount *m, fuse_ino_t number, char *names, size_t room)
{
	struct history_marks e;
	char text[TEXT];
	size_t used = 0;

	if (history_marks(m, number, &e) != 0)
		return 0;
	for (unsigned i = 0; i < MARKS; i++) {
		const size_t n = strlen(marks[i].name) + 1;

		if (marks[i].put(&e, text, sizeof(text)) > 0 && used + n <= room) {
			memcpy(names + used, marks[i].name, n);
			used += n;
		}
	}
	return used;
}

static void listxattr_(fuse_req_t req, fuse_ino_t number, size_t room)
{
	struct mount *m;
	struct f2fs_inode *inode;
	size_t length, more = 0;
	char *names;
	int here;

	if (number >> 32 == SPACE_VOLUME || number >> 32 >= SPACE_VIEWS) {
		below.listxattr(req, number, room);
		return;
	}
	names = malloc(XATTR_LIST_MAX);
	m = mount_enter_quietly(req);
	length = names && has_marks(number) ? put_names(m, number, names, XATTR_LIST_MAX) : 0;
	here = is_inode(m, number);
	if (names && here && known_open_number(m, number, NULL, &inode) == 0)
		xattr_names(inode, fuse_req_ctx(req)->uid == 0, names + length, XATTR_LIST_MAX - length, &more);
	mount_leave(m);
	length += length + more <= XATTR_LIST_MAX ? more : 0;
	xattr_reply(req, names ? 0 : ENOMEM, names, length, room);
	free(names);
}

void serve_marks(struct fuse_lowlevel_ops *ops)
{
	below = *ops;
	ops->getxattr = getxattr_;
	ops->listxattr = listxattr_;
}
