/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of directories: as a view of its own, and as -t of fsck.f2fs draws it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/join.h"
#include "dump/classic.h"

enum { ADVISE_ENCRYPT = 0x04 };

struct tree {
	struct dump *d;
	const char *start;
	int is_classic;
	uint8_t *is_last; /* by depth: the branch above has ended */
	size_t room;
	uint64_t directories, files;
};

/* The last component of a path. */
static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static int note_branch(struct tree *t, unsigned depth, int is_last)
{
	if (depth >= t->room) {
		size_t room = depth + 64U;
		uint8_t *more = realloc(t->is_last, room);

		if (!more)
			return f2fs_context_fail(t->d->ctx, F2FS_ERR_NOMEM, "out of memory");
		t->is_last = more;
		t->room = room;
	}
	t->is_last[depth] = (uint8_t)is_last;
	return 0;
}

static void put_branch(const struct tree *t, unsigned depth)
{
	for (unsigned i = 1; i < depth; i++)
		fputs(t->is_last[i] ? "    " : "|   ", stdout);
	fputs(t->is_last[depth] ? "`-- " : "|-- ", stdout);
}

static int is_encrypted(const struct f2fs_inode *inode)
{
	return (dump_get(dump_struct("inode"), f2fs_inode_raw(inode), "i_advise", 0) & ADVISE_ENCRYPT) != 0;
}

/* Names in an encrypted directory are shown in another form than they are stored in. */
static int is_name_encrypted(const struct f2fs_dirent *entry)
{
	return entry->raw_len != entry->name_len || memcmp(entry->raw_name, entry->name, entry->raw_len) != 0;
}

static void put_line(struct tree *t, const struct f2fs_walk_entry *entry)
{
	char name[4 * F2FS_NAME_ROOM + 1];
	const char *text = base_name(entry->path);

	f2fs_text_printable(text, strlen(text), name, sizeof(name));
	put_branch(t, entry->depth);
	if (t->is_classic)
		printf("%s <ino = 0x%x>, <encrypted (%d)>\n", name, entry->dirent->ino,
		       is_name_encrypted(entry->dirent));
	else
		printf("%s%s\n", name, entry->dirent->type == F2FS_TYPE_DIRECTORY ? "/" : "");
}

static void put_record(struct tree *t, const struct f2fs_walk_entry *entry, const char *path)
{
	struct cli_print *out = t->d->out;

	cli_print_begin(out, NULL);
	cli_print_bytes(out, "path", path, strlen(path));
	cli_print_u64(out, "depth", entry->depth);
	cli_print_u64(out, "ino", entry->dirent->ino);
	cli_print_string(out, "type", cli_type_name(entry->dirent->type));
	cli_print_bool(out, "is_name_encrypted", is_name_encrypted(entry->dirent));
	if (entry->inode)
		cli_print_bool(out, "is_encrypted", is_encrypted(entry->inode));
	else
		cli_print_null(out, "is_encrypted");
	cli_print_end(out);
}

static int show_entry(struct tree *t, const struct f2fs_walk_entry *entry, const char *path)
{
	int rc = note_branch(t, entry->depth, entry->is_last);

	if (rc)
		return rc;
	if (entry->dirent->type == F2FS_TYPE_DIRECTORY)
		t->directories++;
	else
		t->files++;
	if (t->is_classic || cli_print_is_text(t->d->out))
		put_line(t, entry);
	else
		put_record(t, entry, path);
	return F2FS_WALK_GO;
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct tree *t = user;
	char *path = cli_join(t->start, entry->path);
	int action = F2FS_WALK_GO;

	if (!path)
		return f2fs_context_fail(t->d->ctx, F2FS_ERR_NOMEM, "out of memory");
	if (entry->error)
		dump_fail(t->d, entry->error, path);
	if (cli_stopped())
		action = F2FS_WALK_STOP;
	else if (entry->dirent)
		action = show_entry(t, entry, path);
	free(path);
	return action;
}

static int walk(struct tree *t, struct f2fs_inode *start)
{
	int rc = f2fs_walk(start, visit, t);

	free(t->is_last);
	return rc < 0 ? dump_fail(t->d, rc, NULL) : 0;
}

int view_tree(struct dump *d, const char *argument)
{
	struct tree t = { .d = d, .start = argument ? argument : "/" };
	struct f2fs_inode *start;
	int rc = dump_open_inode(d, t.start, F2FS_LOOKUP_FOLLOW, &start);

	if (rc)
		return rc;
	cli_print_heading(d->out, t.start);
	cli_print_begin_array(d->out, "entries");
	rc = walk(&t, start);
	cli_print_end_array(d->out);
	if (!cli_print_is_text(d->out)) {
		cli_print_u64(d->out, "directories", t.directories);
		cli_print_u64(d->out, "files", t.files);
	}
	f2fs_inode_close(start);
	return rc;
}

int classic_tree(struct dump *d, const char *argument)
{
	struct tree t = { .d = d, .start = "/", .is_classic = 1 };
	struct f2fs_inode *root;
	int rc = f2fs_inode_open(d->vol, d->geo->root_ino, &root);

	(void)argument;
	if (rc)
		return dump_fail(d, rc, "/");
	rc = walk(&t, root);
	f2fs_inode_close(root);
	return rc;
}
