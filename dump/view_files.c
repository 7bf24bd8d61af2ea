/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files: a directory's entries, contents, the block map.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/session.h"
#include "dump/views.h"

enum { COPY_BYTES = 1 << 20, TARGET_ROOM = 16385 };

static int no_memory(struct dump *d)
{
	return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
}

/* ---- ls ---- */

static const struct cli_column ls_columns[] = {
	{ "ino", 10 }, { "mode", -10 }, { "links", 5 },	     { "uid", 6 },
	{ "gid", 6 },  { "size", 12 },	{ "modified", -19 }, { "name", -1 },
};

/* Print the name; text output adds the target. */
static void put_name(struct dump *d, const char *name, size_t n, const char *target, size_t target_length)
{
	char *both;

	if (!cli_print_is_text(d->out) || !target) {
		cli_print_bytes(d->out, "name", name, n);
		if (target)
			cli_print_bytes(d->out, "target", target, target_length);
		return;
	}
	both = malloc(n + 4 + target_length);
	if (!both) {
		no_memory(d);
		return;
	}
	memcpy(both, name, n);
	memcpy(both + n, " -> ", 4);
	memcpy(both + n + 4, target, target_length);
	cli_print_bytes(d->out, "name", both, n + 4 + target_length);
	free(both);
}

static void put_nothing_known(struct dump *d)
{
	static const char *const names[] = { "mode", "links", "uid", "gid", "size", "mtime" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cli_print_null(d->out, names[i]);
}

/* One line: inode NULL when it cannot be opened; entry NULL for the operand itself. */
static void put_file(struct dump *d, f2fs_nid_t ino, struct f2fs_inode *inode, const struct f2fs_dirent *entry,
		     const char *name, size_t n)
{
	struct f2fs_stat st;
	char *target = NULL;
	size_t target_length = 0;
	int rc = inode ? f2fs_inode_stat(inode, &st) : F2FS_ERR_CORRUPT;

	if (inode && rc)
		dump_fail(d, rc, NULL);
	if (!rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_LNK && (target = malloc(TARGET_ROOM)) != NULL) {
		int bad = f2fs_inode_readlink(inode, target, TARGET_ROOM, &target_length);

		if (bad) {
			dump_fail(d, bad, name);
			free(target);
			target = NULL;
		}
	}
	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "ino", ino);
	if (rc)
		put_nothing_known(d);
	else
		cli_print_stat(d->out, &st);
	put_name(d, name, n, target, target_length);
	if (entry && !cli_print_is_text(d->out)) {
		cli_print_string(d->out, "type", cli_type_name(entry->type));
		cli_print_u64(d->out, "hash", entry->hash);
		cli_print_u64(d->out, "position", entry->position);
		if (entry->raw_len != entry->name_len || memcmp(entry->raw_name, entry->name, entry->raw_len))
			cli_print_digits(d->out, "raw_name", entry->raw_name, entry->raw_len);
	}
	if (!rc)
		cli_print_stat_more(d->out, &st);
	cli_print_end(d->out);
	free(target);
}

static int put_entries(struct dump *d, struct f2fs_inode *dir_inode, const char *operand)
{
	struct f2fs_dir *dir;
	int rc = f2fs_dir_open(dir_inode, &dir), worst = 0;

	if (rc)
		return dump_fail(d, rc, operand);
	for (;;) {
		struct f2fs_inode *inode = NULL;
		struct f2fs_dirent entry;

		rc = f2fs_dir_next(dir, &entry);
		if (rc == F2FS_ERR_NOT_FOUND || cli_stopped())
			break;
		if (rc) {
			worst = dump_fail(d, rc, operand);
			if (rc == F2FS_ERR_NOMEM)
				break;
			continue;
		}
		rc = f2fs_inode_open(d->vol, entry.ino, &inode);
		if (rc)
			worst = dump_fail(d, rc, entry.name);
		put_file(d, entry.ino, inode, &entry, entry.name, entry.name_len);
		f2fs_inode_close(inode);
	}
	f2fs_dir_close(dir);
	return worst;
}

int view_ls(struct dump *d, const char *argument)
{
	const char *operand = argument ? argument : "/";
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc = dump_open_inode(d, operand, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_inode_stat(inode, &st);
	if (rc)
		dump_fail(d, rc, operand);
	cli_print_begin_table(d->out, "entries", ls_columns, 8);
	if (!rc && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR)
		rc = put_entries(d, inode, operand);
	else if (!rc)
		put_file(d, f2fs_inode_number(inode), inode, NULL, operand, strlen(operand));
	cli_print_end_array(d->out);
	f2fs_inode_close(inode);
	return rc;
}

/* ---- cat ---- */

int view_cat(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	uint8_t *buffer;
	uint64_t at = 0;
	size_t done = 1;
	int rc = dump_open_inode(d, argument, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	buffer = malloc(COPY_BYTES);
	if (!buffer)
		rc = no_memory(d);
	while (!rc && done > 0 && !cli_stopped()) {
		rc = f2fs_inode_read(inode, at, buffer, COPY_BYTES, &done);
		if (rc) {
			dump_fail(d, rc, argument);
		} else if (cli_write(stdout, buffer, done) && !cli_stopped()) {
			cli_error(&d->cli, "standard output: %s", strerror(errno));
			d->status |= DUMP_FAILED;
			rc = F2FS_ERR_IO;
		}
		at += done;
	}
	free(buffer);
	f2fs_inode_close(inode);
	return rc;
}

/* ---- map ---- */

static const char *extent_kind(int kind)
{
	static const char *const names[] = { "hole", "data", "reserved", "compressed", "inline" };

	return kind >= 0 && kind < 5 ? names[kind] : "?";
}

/* Is the extent in the main area, as blocks of a file must be? */
static int is_in_main(const struct f2fs_geometry *geo, const struct f2fs_file_extent *e)
{
	uint64_t n = e->kind == F2FS_EXTENT_DATA ? e->count : e->kind == F2FS_EXTENT_COMPRESSED ? e->stored : 0;

	return n == 0 || (e->addr >= geo->main_blkaddr && e->addr + n <= geo->end_blkaddr);
}

static void put_extent(struct dump *d, const char *operand, const struct f2fs_file_extent *e)
{
	if (!is_in_main(d->geo, e))
		dump_damage(d, "%s: file block %llu is at block %u, outside the main area [inode, rule NODE_ADDR]",
			    operand, (unsigned long long)e->file_block, e->addr);
	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "file_block", e->file_block);
	cli_print_u64(d->out, "count", e->count);
	cli_print_string(d->out, "kind", extent_kind(e->kind));
	if (e->addr)
		cli_print_u64(d->out, "addr", e->addr);
	else
		cli_print_null(d->out, "addr");
	if (e->kind == F2FS_EXTENT_COMPRESSED)
		cli_print_u64(d->out, "stored", e->stored);
	else
		cli_print_null(d->out, "stored");
	cli_print_end(d->out);
}

static int put_node_info(void *user, const struct f2fs_node_info *node)
{
	struct dump *d = user;

	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "nid", node->nid);
	cli_print_u64(d->out, "addr", node->addr);
	cli_print_u64(d->out, "node_offset", node->node_offset);
	cli_print_end(d->out);
	return 0;
}

int view_map(struct dump *d, const char *argument)
{
	static const struct cli_column extents[] = {
		{ "file_block", 12 }, { "count", 12 }, { "kind", -10 }, { "block", 10 }, { "stored", 6 }
	};
	static const struct cli_column nodes[] = { { "node", 10 }, { "block", 10 }, { "node_offset", 11 } };
	struct f2fs_inode *inode;
	struct f2fs_file_extent e;
	int rc = dump_open_inode(d, argument, 0, &inode), worst = 0;

	if (rc)
		return rc;
	cli_print_begin_table(d->out, "extents", extents, 5);
	for (uint64_t at = 0; !rc && !cli_stopped(); at = e.file_block + e.count) {
		rc = f2fs_inode_extent(inode, at, &e);
		if (!rc)
			put_extent(d, argument, &e);
	}
	cli_print_end_array(d->out);
	if (rc && rc != F2FS_ERR_NOT_FOUND)
		worst = dump_fail(d, rc, argument);
	cli_print_begin_table(d->out, "nodes", nodes, 3);
	rc = f2fs_inode_list_nodes(inode, put_node_info, d);
	cli_print_end_array(d->out);
	if (rc)
		worst = dump_fail(d, rc, argument);
	f2fs_inode_close(inode);
	return worst;
}
