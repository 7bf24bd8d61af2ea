/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Looking at files and at the volume: ls, stat, readlink, df, info.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/join.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"

/* ---- ls ---- */

struct listing {
	struct edit *e;
	struct cli_print *out;
	int is_long;
	uint64_t shown; /* entries */
	int worst; /* failure of an entry */
};

static const struct cli_column long_columns[] = {
	{ "ino", 10 }, { "mode", -10 }, { "links", 5 },	     { "uid", 6 },
	{ "gid", 6 },  { "size", 12 },	{ "modified", -19 }, { "name", -1 },
};

/* Print the name; text output adds the target. */
static int put_name(struct listing *l, struct f2fs_inode *inode, const struct f2fs_stat *st, const char *name, size_t n)
{
	char *target = NULL, *both;
	size_t length = 0;
	int rc = 0;

	if ((st->mode & F2FS_MODE_TYPE) == F2FS_MODE_LNK) {
		target = malloc(TARGET_ROOM + n + 4);
		rc = target ? f2fs_inode_readlink(inode, target, TARGET_ROOM, &length) : edit_no_memory(l->e);
		if (rc)
			edit_fail(l->e, rc, name);
	}
	if (rc || !target || !cli_print_is_text(l->out)) {
		cli_print_bytes(l->out, "name", name, n);
		if (!rc && target)
			cli_print_bytes(l->out, "target", target, length);
	} else {
		both = target;
		memmove(both + n + 4, target, length);
		memcpy(both, name, n);
		memcpy(both + n, " -> ", 4);
		cli_print_bytes(l->out, "name", both, n + 4 + length);
	}
	free(target);
	return rc;
}

static int put_file(struct listing *l, f2fs_nid_t ino, const char *name, size_t n)
{
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int rc;

	if (!l->is_long) {
		edit_put_name(name, n);
		putchar('\n');
		return 0;
	}
	rc = f2fs_inode_open(l->e->vol, ino, &inode);
	if (!rc) {
		rc = f2fs_inode_stat(inode, &st);
		if (rc)
			f2fs_inode_close(inode);
	}
	if (rc)
		return edit_fail(l->e, rc, name);
	cli_print_begin(l->out, NULL);
	cli_print_u64(l->out, "ino", ino);
	cli_print_stat(l->out, &st);
	rc = put_name(l, inode, &st, name, n);
	cli_print_stat_more(l->out, &st);
	cli_print_end(l->out);
	f2fs_inode_close(inode);
	return rc;
}

/* A file that cannot be shown was reported; the others are. */
static int list_entry(void *user, const struct f2fs_dirent *entry)
{
	struct listing *l = user;
	int rc = put_file(l, entry->ino, entry->name, entry->name_len);

	l->shown++;
	l->worst = rc ? rc : l->worst;
	return rc == F2FS_ERR_NOMEM ? rc : 0;
}

/* An operand to list. An open inode need not be looked up. */
struct operand {
	const char *path;
	struct f2fs_inode *open; /* NULL: it is opened by its path */
	int with_title;
};

static int list_inode(struct listing *l, const struct edit_call *call, const struct operand *what,
		      struct f2fs_inode *inode, const struct f2fs_stat *stat)
{
	const char *operand = what->path;
	const struct f2fs_stat st = *stat;
	struct f2fs_dirent up;
	int rc = 0;

	if (cli_print_is_text(l->out) && what->with_title && (st.mode & F2FS_MODE_TYPE) == F2FS_MODE_DIR &&
	    !edit_has(call, 'd')) {
		edit_put_name(operand, strlen(operand));
		puts(":");
	}
	if (!cli_print_is_text(l->out)) {
		cli_print_begin(l->out, NULL);
		cli_print_bytes(l->out, "path", operand, strlen(operand));
	}
	if (l->is_long)
		cli_print_begin_table(l->out, "entries", long_columns, 8);
	if ((st.mode & F2FS_MODE_TYPE) != F2FS_MODE_DIR || edit_has(call, 'd')) {
		rc = put_file(l, st.ino, operand, strlen(operand));
	} else {
		if (edit_has(call, 'a')) {
			rc = put_file(l, st.ino, ".", 1);
			if (!rc && (rc = f2fs_dir_lookup(inode, "..", 2, &up)) != 0)
				edit_fail(l->e, rc, operand);
			if (!rc)
				rc = put_file(l, up.ino, "..", 2);
		}
		if (!rc)
			rc = edit_each(l->e, inode, operand, list_entry, l);
		rc = rc ? rc : l->worst;
	}
	if (l->is_long)
		cli_print_end_array(l->out);
	if (!cli_print_is_text(l->out))
		cli_print_end(l->out);
	return rc;
}

static int list_one(struct listing *l, const struct edit_call *call, const struct operand *what)
{
	struct f2fs_inode *inode = what->open;
	struct f2fs_stat st;
	int rc;

	if (inode) {
		rc = f2fs_inode_stat(inode, &st);
		return rc ? edit_fail(l->e, rc, what->path) : list_inode(l, call, what, inode, &st);
	}
	rc = edit_open_stat(l->e, what->path, edit_has(call, 'd') ? 0 : F2FS_LOOKUP_FOLLOW, &inode, &st);
	if (rc)
		return rc;
	rc = list_inode(l, call, what, inode, &st);
	f2fs_inode_close(inode);
	return rc;
}

/* A directory of a tree, with a document of its own. */
struct below {
	struct edit *e;
	const struct edit_call *call;
	const char *start;
	int is_first;
	uint64_t shown; /* entries of all directories so far */
};

static int list_apart(struct edit *e, const struct edit_call *call, const struct operand *what, uint64_t *shown)
{
	struct listing l = { e, edit_print_open(e), edit_has(call, 'l') || e->is_json, 0, 0 };
	int rc, closed;

	if (!l.out)
		return F2FS_ERR_NOMEM;
	rc = list_one(&l, call, what);
	closed = edit_print_close(e, l.out);
	*shown += l.shown;
	return rc ? rc : closed;
}

/* Have there been more entries than the volume has room for? Then directories share blocks, and each would show them
 * all again. */
static int is_too_much(const struct below *b)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(b->e->vol);

	return b->shown > (geo->end_blkaddr - geo->main_blkaddr) * geo->dentries_per_block;
}

static int list_below(void *user, const struct f2fs_walk_entry *entry)
{
	struct below *b = user;
	char *path;
	int rc;

	if (entry->error || cli_stopped())
		return entry->error ? edit_fail(b->e, entry->error, entry->path) : F2FS_WALK_STOP;
	if (entry->dirent && entry->dirent->type != F2FS_TYPE_DIRECTORY)
		return F2FS_WALK_GO;
	path = cli_join(b->start, entry->path);
	if (!path)
		return edit_no_memory(b->e);
	if (is_too_much(b)) {
		rc = edit_fail(b->e, f2fs_context_fail(b->e->ctx, F2FS_ERR_CORRUPT, "directories share blocks"), path);
		free(path);
		return rc;
	}
	if (!b->is_first && !b->e->is_json)
		putchar('\n');
	b->is_first = 0;
	rc = list_apart(b->e, b->call, &(struct operand){ path, edit_has(b->call, 'd') ? NULL : entry->inode, 1 },
			&b->shown);
	free(path);
	return rc;
}

static int list_tree(struct edit *e, const struct edit_call *call, const char *operand)
{
	struct below b = { e, call, operand, 1, 0 };
	struct f2fs_inode *inode;
	int rc = edit_open(e, operand, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_walk(inode, list_below, &b);
	f2fs_inode_close(inode);
	return rc;
}

int do_ls(struct edit *e, const struct edit_call *call)
{
	uint64_t shown = 0;
	int rc = 0;

	for (int i = 0; !rc && i < (call->count ? call->count : 1); i++) {
		const struct operand what = { call->count ? call->operands[i] : ".", NULL, call->count > 1 };

		rc = edit_has(call, 'R') ? list_tree(e, call, what.path) : list_apart(e, call, &what, &shown);
	}
	return rc;
}

/* ---- stat, readlink ---- */

static void put_time(struct cli_print *out, const char *name, const struct f2fs_time *t)
{
	char nsec[24];

	snprintf(nsec, sizeof(nsec), "%s_nsec", name);
	cli_print_time(out, name, t->seconds);
	cli_print_u64(out, nsec, t->nanoseconds);
}

static void put_stat(struct cli_print *out, const struct f2fs_stat *st)
{
	const struct f2fs_flag *flags;
	unsigned count;
	char mode[12];

	cli_print_u64(out, "ino", st->ino);
	cli_print_string(out, "mode", cli_mode_text(st->mode, mode));
	cli_print_octal(out, "permissions", st->mode & 07777);
	cli_print_u64(out, "links", st->nlink);
	cli_print_u64(out, "uid", st->uid);
	cli_print_u64(out, "gid", st->gid);
	cli_print_u64(out, "projid", st->projid);
	cli_print_u64(out, "size", st->size);
	cli_print_u64(out, "blocks", st->blocks);
	if ((st->mode & F2FS_MODE_TYPE) == F2FS_MODE_CHR || (st->mode & F2FS_MODE_TYPE) == F2FS_MODE_BLK) {
		cli_print_u64(out, "rdev_major", st->rdev_major);
		cli_print_u64(out, "rdev_minor", st->rdev_minor);
	}
	cli_print_u64(out, "generation", st->generation);
	put_time(out, "atime", &st->atime);
	put_time(out, "mtime", &st->mtime);
	put_time(out, "ctime", &st->ctime);
	if (st->has_crtime)
		put_time(out, "crtime", &st->crtime);
	flags = f2fs_flags_find("i_flags", &count);
	cli_print_flags(out, "flags", st->flags, flags, count);
	flags = f2fs_flags_find("i_advise", &count);
	cli_print_flags(out, "advise", st->advise, flags, count);
	flags = f2fs_flags_find("i_inline", &count);
	cli_print_flags(out, "inline", st->inline_flags, flags, count);
}

static void put_compression(struct cli_print *out, struct f2fs_inode *inode, const struct f2fs_stat *st)
{
	const struct f2fs_field *saved = f2fs_field_find(f2fs_struct_find("inode_extra"), "i_compr_blocks");
	const char *name = f2fs_compress_name(st->compress_algorithm);
	const uint8_t *raw = f2fs_inode_raw(inode);
	struct f2fs_inode_layout layout;

	if (!st->is_compressed)
		return;
	f2fs_inode_layout(f2fs_volume_geometry(f2fs_inode_volume(inode)), raw, &layout);
	cli_print_string(out, "compression", name ? name : "unknown");
	cli_print_u64(out, "cluster_blocks", UINT64_C(1) << st->log_cluster_size);
	cli_print_u64(out, "saved_blocks", f2fs_field_get(saved, raw + layout.extra_offset, 0));
}

int do_stat(struct edit *e, const struct edit_call *call)
{
	int rc = 0;

	for (int i = 0; !rc && i < call->count; i++) {
		struct f2fs_inode *inode;
		struct cli_print *out;
		struct f2fs_stat st;

		rc = edit_open_stat(e, call->operands[i], edit_has(call, 'L') ? F2FS_LOOKUP_FOLLOW : 0, &inode, &st);
		if (rc)
			break;
		out = edit_print_open(e);
		if (out) {
			cli_print_begin(out, NULL);
			cli_print_bytes(out, "path", call->operands[i], strlen(call->operands[i]));
			put_stat(out, &st);
			put_compression(out, inode, &st);
			cli_print_end(out);
		}
		f2fs_inode_close(inode);
		rc = out ? edit_print_close(e, out) : F2FS_ERR_NOMEM;
	}
	return rc;
}

/* The bytes as they are, but for a terminal. */
static int put_target(struct edit *e, const char *path, const char *target, size_t length)
{
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;

	if (out) {
		cli_print_begin(out, NULL);
		cli_print_bytes(out, "path", path, strlen(path));
		cli_print_bytes(out, "target", target, length);
		cli_print_end(out);
		return edit_print_close(e, out);
	}
	if (isatty(STDOUT_FILENO))
		edit_put_name(target, length);
	else
		fwrite(target, 1, length, stdout);
	putchar('\n');
	return 0;
}

int do_readlink(struct edit *e, const struct edit_call *call)
{
	char *target = malloc(TARGET_ROOM);
	struct f2fs_inode *inode = NULL;
	size_t length;
	int rc = target ? edit_open(e, call->operands[0], 0, &inode) : edit_no_memory(e);

	if (!rc) {
		rc = f2fs_inode_readlink(inode, target, TARGET_ROOM, &length);
		if (rc)
			edit_fail(e, rc, call->operands[0]);
		else
			rc = put_target(e, call->operands[0], target, length);
		f2fs_inode_close(inode);
	}
	free(target);
	return rc;
}

/* ---- df, info ---- */

int do_df(struct edit *e, const struct edit_call *call)
{
	const uint32_t block_size = f2fs_volume_geometry(e->vol)->block_size;
	struct cli_print *out = edit_print_open(e);
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };

	(void)call;
	if (!out)
		return F2FS_ERR_NOMEM;
	f2fs_volume_statfs(e->vol, &st);
	cli_print_begin(out, NULL);
	cli_print_u64(out, "block_size", block_size);
	cli_print_u64(out, "size_bytes", st.block_count * block_size);
	cli_print_u64(out, "used_bytes", (st.block_count - st.free_blocks) * block_size);
	cli_print_u64(out, "free_bytes", st.free_blocks * block_size);
	cli_print_u64(out, "inodes", st.valid_inodes);
	cli_print_u64(out, "free_inodes", st.free_files);
	cli_print_u64(out, "free_segments", st.free_segments);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_info(struct edit *e, const struct edit_call *call)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(e->vol);
	const struct f2fs_struct *type = f2fs_struct_find("checkpoint");
	struct cli_print *out = edit_print_open(e);
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	const struct f2fs_flag *flags;
	const uint8_t *cp;
	unsigned count, pack;
	size_t length;

	(void)call;
	if (!out)
		return F2FS_ERR_NOMEM;
	f2fs_volume_statfs(e->vol, &st);
	cp = f2fs_volume_checkpoint(e->vol, &length, &pack);
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "label", st.label, strlen(st.label));
	cli_print_uuid(out, "uuid", st.uuid);
	flags = f2fs_flags_find("feature", &count);
	cli_print_flags(out, "feature", geo->feature, flags, count);
	cli_print_u64(out, "block_size", geo->block_size);
	cli_print_u64(out, "block_count", geo->block_count);
	cli_print_u64(out, "segments", geo->segment_count_main);
	cli_print_u64(out, "segs_per_sec", geo->segs_per_sec);
	cli_print_u64(out, "checkpoint_ver", f2fs_field_get(f2fs_field_find(type, "checkpoint_ver"), cp, 0));
	cli_print_u64(out, "pack", pack);
	flags = f2fs_flags_find("ckpt_flags", &count);
	cli_print_flags(out, "ckpt_flags", (uint32_t)f2fs_field_get(f2fs_field_find(type, "ckpt_flags"), cp, 0), flags,
			count);
	cli_print_end(out);
	return edit_print_close(e, out);
}
