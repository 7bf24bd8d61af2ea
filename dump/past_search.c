/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Search the past, for the views of old versions and deleted files: begin, report failures, and print the columns that
 * several of them have.
 */
#include "dump/past_search.h"
#include "dump/session.h"

void dump_put_remains(struct dump *d, const struct f2fs_remains *r)
{
	cli_print_u64(d->out, "content_blocks", r->blocks); /* "blocks" are those of the inode */
	cli_print_u64(d->out, "current", r->current);
	cli_print_u64(d->out, "intact", r->intact);
	cli_print_u64(d->out, "unknown", r->unknown);
	cli_print_u64(d->out, "blank", r->blank);
	cli_print_u64(d->out, "overwritten", r->overwritten + r->bad);
	cli_print_u64(d->out, "lost", r->lost);
}

void dump_put_version_more(struct dump *d, const struct f2fs_version *v)
{
	cli_print_u64(d->out, "bad", v->remains.bad);
	cli_print_u64(d->out, "shared", v->remains.shared);
	cli_print_u64(d->out, "nodes", v->remains.nodes);
	cli_print_u64(d->out, "nodes_lost", v->remains.nodes_lost);
	cli_print_u64(d->out, "nodes_later", v->remains.nodes_later);
	cli_print_u64(d->out, "nodes_unsure", v->remains.nodes_unsure);
	cli_print_hex(d->out, "generation", v->generation);
	cli_print_u64(d->out, "parent", v->parent);
	cli_print_bool(d->out, "is_current", (v->flags & F2FS_VERSION_CURRENT) != 0);
	cli_print_bool(d->out, "is_recent", (v->flags & F2FS_VERSION_RECENT) != 0);
	cli_print_bool(d->out, "is_other_use", (v->flags & F2FS_VERSION_OTHER_USE) != 0);
	cli_print_bool(d->out, "is_last", (v->flags & F2FS_VERSION_LAST) != 0);
	cli_print_stat_more(d->out, &v->stat);
}

int dump_past_open(struct dump *d, const struct f2fs_past_options *options, struct f2fs_past **out)
{
	int rc = f2fs_past_open(d->vol, options, out);

	return rc ? dump_fail(d, rc, NULL) : 0;
}

void dump_past_close(struct dump *d, struct f2fs_past *past)
{
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };

	f2fs_past_stat(past, &stat);
	if (stat.unreadable)
		dump_damage(d, "%llu reads failed: old blocks may be missing", (unsigned long long)stat.unreadable);
	f2fs_past_close(past);
}

int dump_search(struct dump *d, const struct dump_search *search)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	struct f2fs_past *past;
	int rc = dump_past_open(d, &options, &past);

	if (rc)
		return rc;
	cli_print_begin_table(d->out, search->name, search->columns, search->column_count);
	rc = search->run(past, d);
	cli_print_end_array(d->out);
	if (rc)
		dump_fail(d, rc, search->option);
	dump_past_close(d, past);
	return rc;
}
