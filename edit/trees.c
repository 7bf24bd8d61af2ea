/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that walk: tree, find, du.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/branches.h"
#include "cli/join.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"
#include "edit/patterns.h"

/* A directory on the way down: bytes in it and below. */
struct sum {
	uint64_t bytes;
	size_t path_length;
};

struct walk {
	struct edit *e;
	struct cli_print *out;
	const char *start;
	const char *pattern; /* of find */
	char type;
	int rc; /* first failure on the way */
	struct cli_branches branches; /* of tree */
	struct sum *sums;	      /* of du, by depth */
	size_t depth, room;
	struct edit_way way; /* to the last of them */
	int only_sum, with_units;
	f2fs_nid_t *seen; /* files counted: hash table, 0: free */
	size_t seen_count, seen_room;
};

static struct walk *walk_new(struct edit *e, const char *start)
{
	struct walk *w = calloc(1, sizeof(*w));

	if (!w) {
		edit_no_memory(e);
		return NULL;
	}
	w->e = e;
	w->start = start;
	return w;
}

static void walk_free(struct walk *w)
{
	cli_branches_free(&w->branches);
	free(w->sums);
	edit_way_free(&w->way);
	free(w->seen);
	free(w);
}

/* Report damage; the walk continues. */
static void note_error(struct walk *w, const struct f2fs_walk_entry *entry)
{
	if (!entry->error)
		return;
	edit_fail(w->e, entry->error, *entry->path ? entry->path : w->start);
	if (!w->rc)
		w->rc = entry->error;
}

/* Is it a report of damage within a directory that was visited already? */
static int is_damage_only(const struct f2fs_walk_entry *entry)
{
	return entry->error && !entry->dirent;
}

static int run(struct walk *w, int (*visit)(void *user, const struct f2fs_walk_entry *entry))
{
	struct f2fs_inode *inode;
	int rc = edit_open(w->e, w->start, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_walk(inode, visit, w);
	if (rc && rc != w->rc)
		edit_fail(w->e, rc, w->start);
	f2fs_inode_close(inode);
	return rc ? rc : w->rc;
}

/* ---- tree ---- */

static int draw(void *user, const struct f2fs_walk_entry *entry)
{
	struct walk *w = user;

	note_error(w, entry);
	if (!entry->dirent)
		return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
	if (cli_branches_put(&w->branches, entry->depth, entry->is_last))
		return edit_no_memory(w->e);
	edit_put_name(entry->dirent->name, entry->dirent->name_len);
	puts(entry->dirent->type == F2FS_TYPE_DIRECTORY ? "/" : "");
	return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

/* ---- find ---- */

static int show_found(void *user, const struct f2fs_walk_entry *entry)
{
	static const char letters[] = "?fdcbpsl";
	struct walk *w = user;
	unsigned type = entry->dirent ? entry->dirent->type : (unsigned)F2FS_TYPE_DIRECTORY;
	const char *name = entry->dirent ? entry->dirent->name : edit_base(w->start);
	char *path;

	note_error(w, entry);
	if (cli_stopped())
		return F2FS_WALK_STOP;
	if (is_damage_only(entry))
		return F2FS_WALK_GO;
	if ((w->pattern && !edit_matches(w->pattern, name)) ||
	    (w->type && (type >= sizeof(letters) - 1 || letters[type] != w->type)))
		return F2FS_WALK_GO;
	path = cli_join(w->start, entry->path);
	if (!path)
		return edit_no_memory(w->e);
	if (w->out) {
		cli_print_begin(w->out, NULL);
		cli_print_bytes(w->out, "path", path, strlen(path));
		cli_print_string(w->out, "type", cli_type_name(type));
		cli_print_u64(w->out, "ino", entry->dirent ? entry->dirent->ino : f2fs_inode_number(entry->inode));
		cli_print_end(w->out);
	} else {
		edit_put_name(path, strlen(path));
		putchar('\n');
	}
	free(path);
	return F2FS_WALK_GO;
}

/* With --json both are a table of paths. */
static int show_paths(struct edit *e, struct walk *w, int (*visit)(void *user, const struct f2fs_walk_entry *entry))
{
	static const struct cli_column columns[] = { { "path", -1 } };
	int rc, closed;

	if (!e->is_json)
		return run(w, visit);
	w->out = edit_print_open(e);
	if (!w->out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(w->out, NULL);
	cli_print_begin_table(w->out, "entries", columns, 1);
	rc = run(w, show_found);
	cli_print_end_array(w->out);
	cli_print_end(w->out);
	closed = edit_print_close(e, w->out);
	return rc ? rc : closed;
}

int do_tree(struct edit *e, const struct edit_call *call)
{
	struct walk *w = walk_new(e, call->count ? call->operands[0] : e->cwd);
	int rc;

	if (!w)
		return F2FS_ERR_NOMEM;
	rc = show_paths(e, w, draw);
	walk_free(w);
	return rc;
}

int do_find(struct edit *e, const struct edit_call *call)
{
	const char *type = call->options['t'];
	struct walk *w;
	int rc;

	if (type && (strlen(type) != 1 || !strchr("fdcbpsl", type[0])))
		return edit_usage(e, "find -t", type, "is none of f d l c b p s");
	w = walk_new(e, call->count ? call->operands[0] : e->cwd);
	if (!w)
		return F2FS_ERR_NOMEM;
	w->pattern = call->options['n'];
	w->type = (char)(type ? type[0] : 0);
	rc = show_paths(e, w, show_found);
	walk_free(w);
	return rc;
}

/* ---- du ---- */

static void put_sum(struct walk *w, const struct sum *sum, int is_top)
{
	unsigned long long kib = (sum->bytes + 1023) / 1024;
	char units[24];

	if (w->only_sum && !is_top)
		return;
	if (w->out) {
		cli_print_begin(w->out, NULL);
		cli_print_bytes(w->out, "path", w->way.text, sum->path_length);
		cli_print_u64(w->out, "bytes", sum->bytes);
		cli_print_end(w->out);
	} else {
		if (w->with_units)
			printf("%-10s ", cli_format_size(sum->bytes, units));
		else
			printf("%-7llu ", kib);
		edit_put_name(w->way.text, sum->path_length);
		putchar('\n');
	}
}

/* Directories at this depth and below are finished: show them, add them to the one above. */
static void finish(struct walk *w, unsigned depth)
{
	while (w->depth > depth) {
		const size_t last = --w->depth;

		put_sum(w, &w->sums[last], last == 0);
		if (last > 0)
			w->sums[last - 1].bytes += w->sums[last].bytes;
	}
}

/* Go down into a directory; w->depth is its depth. */
static int begin(struct walk *w, const struct f2fs_dirent *dirent, uint64_t bytes)
{
	struct sum *sums = edit_grow(w->e, w->sums, w->depth, &w->room, sizeof(*sums));
	const size_t above = sums && w->depth > 0 ? sums[w->depth - 1].path_length : 0;
	int rc;

	if (!sums)
		return F2FS_ERR_NOMEM;
	w->sums = sums;
	rc = edit_way_set(w->e, &w->way, above, w->depth > 0 ? dirent->name : w->start);
	if (!rc)
		sums[w->depth++] = (struct sum){ bytes, w->way.length };
	return rc;
}

static void put_seen(f2fs_nid_t *table, size_t room, f2fs_nid_t ino)
{
	size_t at = ino * (size_t)2654435761U & (room - 1);

	while (table[at])
		at = (at + 1) & (room - 1);
	table[at] = ino;
}

/* Twice the room for a table that is half full. */
static int grow_seen(struct walk *w)
{
	size_t room = w->seen_room ? 2 * w->seen_room : 256;
	f2fs_nid_t *table = calloc(room, sizeof(*table));

	if (!table)
		return edit_no_memory(w->e);
	for (size_t i = 0; i < w->seen_room; i++)
		if (w->seen[i])
			put_seen(table, room, w->seen[i]);
	free(w->seen);
	w->seen = table;
	w->seen_room = room;
	return 0;
}

/* Has a file been counted under another name? 1, 0 or an error. */
static int is_seen(struct walk *w, f2fs_nid_t ino)
{
	size_t at;
	int rc = 2 * (w->seen_count + 1) > w->seen_room ? grow_seen(w) : 0;

	if (rc)
		return rc;
	at = ino * (size_t)2654435761U & (w->seen_room - 1);
	for (; w->seen[at]; at = (at + 1) & (w->seen_room - 1))
		if (w->seen[at] == ino)
			return 1;
	w->seen[at] = ino;
	w->seen_count++;
	return 0;
}

static int add_up(void *user, const struct f2fs_walk_entry *entry)
{
	struct walk *w = user;
	struct f2fs_stat st;
	int is_dir, seen = 0;

	note_error(w, entry);
	if (cli_stopped())
		return F2FS_WALK_STOP;
	if (is_damage_only(entry) || !entry->inode || f2fs_inode_stat(entry->inode, &st))
		return F2FS_WALK_GO;
	is_dir = (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR || entry->depth == 0;
	finish(w, entry->depth);
	if (is_dir) {
		int rc = begin(w, entry->dirent, st.blocks * 512);

		if (rc)
			return rc;
	} else {
		seen = is_seen(w, st.ino); /* whatever st.nlink says */
		if (seen < 0)
			return seen;
		if (!seen)
			w->sums[w->depth - 1].bytes += st.blocks * 512;
	}
	return cli_stopped() ? F2FS_WALK_STOP : F2FS_WALK_GO;
}

static int du_one(struct edit *e, const struct edit_call *call, const char *operand, struct cli_print *out)
{
	struct walk *w = walk_new(e, operand);
	int rc;

	if (!w)
		return F2FS_ERR_NOMEM;
	w->out = out;
	w->only_sum = edit_has(call, 's');
	w->with_units = edit_has(call, 'h');
	rc = run(w, add_up);
	finish(w, 0);
	walk_free(w);
	return rc;
}

int do_du(struct edit *e, const struct edit_call *call)
{
	static const struct cli_column columns[] = { { "path", -1 } };
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;
	int rc = 0, closed = 0;

	if (e->is_json && !out)
		return F2FS_ERR_NOMEM;
	if (out) {
		cli_print_begin(out, NULL);
		cli_print_begin_table(out, "entries", columns, 1);
	}
	for (int i = 0; !rc && i < (call->count ? call->count : 1); i++)
		rc = du_one(e, call, call->count ? call->operands[i] : e->cwd, out);
	if (out) {
		cli_print_end_array(out);
		cli_print_end(out);
		closed = edit_print_close(e, out);
	}
	return rc ? rc : closed;
}
