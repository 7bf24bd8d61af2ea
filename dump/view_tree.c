/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The tree of directories: as a view of its own, and as -t of fsck.f2fs draws it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches.h"
#include "cli/join.h"
#include "dump/fields.h"
#include "dump/session.h"
#include "dump/views.h"

enum { ADVISE_ENCRYPT = 0x04 };

struct tree {
	struct dump *d;
	const char *start;
	int is_classic;
	struct cli_branches branches;
	uint64_t directories, files;
};

static int no_memory(const struct tree *t)
{
	return f2fs_context_fail(t->d->ctx, F2FS_ERR_NOMEM, "out of memory");
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

static int put_line(struct tree *t, const struct f2fs_walk_entry *entry)
{
	char name[4 * F2FS_NAME_ROOM + 1];

	if (cli_branches_put(&t->branches, entry->depth, entry->is_last))
		return no_memory(t);
	f2fs_text_printable(entry->dirent->name, entry->dirent->name_len, name, sizeof(name));
	if (t->is_classic)
		printf("%s <ino = 0x%x>, <encrypted (%d)>\n", name, entry->dirent->ino,
		       is_name_encrypted(entry->dirent));
	else
		printf("%s%s\n", name, entry->dirent->type == F2FS_TYPE_DIRECTORY ? "/" : "");
	return 0;
}

static int put_record(struct tree *t, const struct f2fs_walk_entry *entry)
{
	struct cli_print *out = t->d->out;
	char *path = cli_join(t->start, entry->path);

	if (!path)
		return no_memory(t);
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
	free(path);
	return 0;
}

static int show_entry(struct tree *t, const struct f2fs_walk_entry *entry)
{
	if (entry->dirent->type == F2FS_TYPE_DIRECTORY)
		t->directories++;
	else
		t->files++;
	return t->is_classic || cli_print_is_text(t->d->out) ? put_line(t, entry) : put_record(t, entry);
}

static int visit(void *user, const struct f2fs_walk_entry *entry)
{
	struct tree *t = user;

	if (entry->error)
		dump_fail_below(t->d, entry->error, t->start, entry->path);
	if (cli_stopped())
		return F2FS_WALK_STOP;
	return entry->dirent ? show_entry(t, entry) : F2FS_WALK_GO;
}

static int walk(struct tree *t, struct f2fs_inode *start)
{
	int rc = f2fs_walk(start, visit, t);

	cli_branches_free(&t->branches);
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
