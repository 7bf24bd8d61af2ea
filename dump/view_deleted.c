/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files of which something is left.
 */
#include <string.h>

#include "dump/past_search.h"
#include "dump/view_deleted.h"
#include "dump/views.h"

static const struct cli_column columns[] = {
	{ "ino", 10 },	       { "block", 10 }, { "left", -8 },	 { "path is", -7 }, { "mode", -10 },
	{ "links", 5 },	       { "uid", 6 },	{ "gid", 6 },	 { "size", 12 },    { "modified", -19 },
	{ "blocks", 8 },       { "current", 8 }, { "intact", 8 }, { "unknown", 8 },   { "blank", 8 },
	{ "overwritten", 11 }, { "lost", 8 },	       { "path", -1 },
};

const char *dump_path_state_name(int state)
{
	static const char *const names[] = { "sure", "likely", "part" };

	return state >= 0 && state <= F2FS_PATH_PART ? names[state] : "?";
}

static void put_nothing_known(struct dump *d)
{
	static const char *const names[] = { "mode",  "links",	 "uid",	   "gid",    "size",	    "mtime",
					     "content_blocks", "current", "intact", "unknown", "blank",
					     "overwritten", "lost" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		cli_print_null(d->out, names[i]);
}

static int put_deleted(void *user, const struct f2fs_deleted *file)
{
	struct dump *d = user;
	const struct f2fs_version *v = &file->version;
	const int has_inode = file->confidence != F2FS_CONFIDENCE_NAME;

	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "ino", v->ino);
	if (has_inode)
		cli_print_u64(d->out, "block_addr", v->addr);
	else
		cli_print_null(d->out, "block_addr");
	cli_print_string(d->out, "left", f2fs_confidence_name(file->confidence));
	cli_print_string(d->out, "path_state", dump_path_state_name(file->path_state));
	if (has_inode) {
		cli_print_stat(d->out, &v->stat);
		dump_put_remains(d, &v->remains);
	} else {
		put_nothing_known(d);
	}
	cli_print_bytes(d->out, "path", file->path, strlen(file->path));
	cli_print_string(d->out, "type", cli_type_name(file->type));
	cli_print_u64(d->out, "versions", file->versions);
	cli_print_bool(d->out, "has_entry", (file->sources & F2FS_DELETED_ENTRY) != 0);
	cli_print_bool(d->out, "is_orphan", (file->sources & F2FS_DELETED_ORPHAN) != 0);
	cli_print_begin_array(d->out, "other_names");
	for (uint32_t i = 0; i < file->link_count; i++)
		cli_print_bytes(d->out, NULL, file->links[i], strlen(file->links[i]));
	cli_print_end_array(d->out);
	cli_print_u64(d->out, "max_links", file->max_links);
	if (has_inode) {
		cli_print_u64(d->out, "cp_ver", v->cp_ver);
		cli_print_u64(d->out, "age", v->age);
		dump_put_version_more(d, v);
	}
	cli_print_end(d->out);
	return cli_stopped() ? f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static int search(struct f2fs_past *past, struct dump *d)
{
	return f2fs_past_list_deleted(past, put_deleted, d);
}

int view_deleted(struct dump *d, const char *argument)
{
	static const struct dump_search whole = { "deleted", "--deleted", columns,
						   sizeof(columns) / sizeof(columns[0]), search };

	(void)argument;
	return dump_search(d, &whole);
}
