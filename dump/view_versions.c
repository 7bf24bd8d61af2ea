/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Versions of an inode that are left.
 */
#include <string.h>

#include "dump/session.h"
#include "dump/past_search.h"
#include "dump/views.h"

static const struct cli_column columns[] = {
	{ "block", 10 },   { "cp_ver", 10 }, { "age", 5 },     { "left", -8 },	 { "mode", -10 },      { "links", 5 },
	{ "uid", 6 },	   { "gid", 6 },     { "size", 12 },   { "modified", -19 }, { "blocks", 8 },   { "current", 8 },
	{ "intact", 8 },   { "unknown", 8 }, { "blank", 8 },  { "overwritten", 11 }, { "lost", 8 }, { "name", -1 },
};

struct listing {
	struct dump *d;
	uint64_t count; /* findings */
	int has_begun;	/* the list of nodes */
};

static int put_version(void *user, const struct f2fs_version *v)
{
	struct listing *list = user;
	struct dump *d = list->d;

	list->count++;
	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "block_addr", v->addr);
	cli_print_u64(d->out, "cp_ver", v->cp_ver);
	cli_print_u64(d->out, "age", v->age);
	cli_print_string(d->out, "left", f2fs_confidence_name(v->confidence));
	cli_print_stat(d->out, &v->stat);
	dump_put_remains(d, &v->remains);
	cli_print_bytes(d->out, "name", v->name, v->name_len);
	dump_put_version_more(d, v);
	cli_print_end(d->out);
	return cli_stopped() ? f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static const struct cli_column node_columns[] = {
	{ "block", 10 }, { "cp_ver", 10 }, { "age", 5 },	 { "nid", 10 },
	{ "offset", 10 }, { "kind", -15 }, { "file_block", 12 }, { "used", 5 },
};

static void begin_nodes(struct listing *list)
{
	if (!list->has_begun)
		cli_print_heading(list->d->out, "\nNodes below the inode:");
	if (!list->has_begun)
		cli_print_begin_table(list->d->out, "node_versions", node_columns,
				      sizeof(node_columns) / sizeof(node_columns[0]));
	list->has_begun = 1;
}

static int put_node(void *user, const struct f2fs_node_version *v)
{
	struct listing *list = user;
	struct cli_print *out = list->d->out;

	begin_nodes(list);
	list->count++;
	cli_print_begin(out, NULL);
	cli_print_u64(out, "block_addr", v->addr);
	cli_print_u64(out, "cp_ver", v->cp_ver);
	cli_print_u64(out, "age", v->age);
	cli_print_u64(out, "nid", v->nid);
	cli_print_u64(out, "node_offset", v->node_offset);
	cli_print_string(out, "kind", f2fs_node_version_kind_name(v->kind));
	if (v->file_block == F2FS_NO_BLOCK)
		cli_print_null(out, "file_block");
	else
		cli_print_u64(out, "file_block", v->file_block);
	cli_print_u64(out, "used", v->used);
	cli_print_bool(out, "is_current", (v->flags & F2FS_VERSION_CURRENT) != 0);
	cli_print_end(out);
	return cli_stopped() ? f2fs_context_fail(list->d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static int put_nodes(struct listing *list, struct f2fs_past *past, uint32_t ino)
{
	int rc;

	if (list->d->is_json)
		begin_nodes(list);
	rc = f2fs_past_list_nodes(past, ino, put_node, list);
	if (list->has_begun)
		cli_print_end_array(list->d->out);
	return rc;
}

/* The versions of a file. */
static int show_versions(struct dump *d, const char *argument)
{
	struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options) };
	struct listing list = { .d = d };
	struct f2fs_past *past;
	uint32_t ino;
	int rc = dump_find_ino(d, "--versions", argument, &ino);

	if (rc)
		return rc;
	options.ino = ino;
	rc = dump_past_open(d, &options, &past);
	if (rc)
		return rc;
	cli_print_u64(d->out, "ino", ino);
	cli_print_begin_table(d->out, "versions", columns, sizeof(columns) / sizeof(columns[0]));
	rc = f2fs_past_list_versions(past, ino, put_version, &list);
	cli_print_end_array(d->out);
	if (!rc)
		rc = put_nodes(&list, past, ino);
	if (rc)
		dump_fail(d, rc, argument);
	else if (list.count == 0)
		d->status |= DUMP_MISSING;
	dump_past_close(d, past);
	return rc;
}

/* --versions: of a file, a comparison of two, or the former names of all files. */
int view_versions(struct dump *d, const char *argument)
{
	if (!argument)
		return view_former_names(d, NULL);
	return argument[0] == '@' && strchr(argument, ',') ? view_differences(d, argument) : show_versions(d, argument);
}
