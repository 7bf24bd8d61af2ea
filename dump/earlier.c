/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --as-of: the views of files work on an earlier state of the volume; what was missing or uncertain is told in the end.
 */
#include "cli/size.h"
#include "dump/dump.h"
#include "dump/versions.h"

static int refuse(struct dump *d, const char *version, const char *why)
{
	cli_usage_error(&d->cli, "--as-of", version, why);
	d->status |= DUMP_USAGE;
	return F2FS_ERR_INVALID;
}

int dump_show_as_of(struct dump *d, const char *version)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	const int is_relative = version[0] == '-';
	struct f2fs_as_of_stat stat = { F2FS_SIZED(f2fs_as_of_stat) };
	uint32_t number;
	const char *why = cli_parse_u32(version + is_relative, 0, UINT32_MAX, &number);
	int rc;

	if (why)
		return refuse(d, version, why);
	rc = dump_past_open(d, &options, &d->as_of);
	if (rc)
		return rc;
	f2fs_past_show_stat(d->as_of, &stat);
	if (is_relative && number >= stat.newest)
		return refuse(d, version, "goes back behind the first checkpoint");
	rc = f2fs_past_show(d->as_of, is_relative ? stat.newest - number : number);
	return rc ? dump_fail(d, rc, "--as-of") : 0;
}

static void put_json(struct dump *d, const struct f2fs_as_of_stat *s)
{
	cli_print_begin(d->out, "as_of");
	cli_print_u64(d->out, "version", s->version);
	cli_print_u64(d->out, "newest", s->newest);
	cli_print_u64(d->out, "inodes_lost", s->inodes_lost);
	cli_print_u64(d->out, "inodes_unsure", s->inodes_unsure);
	cli_print_u64(d->out, "inodes_later", s->inodes_later);
	cli_print_u64(d->out, "nodes_lost", s->nodes_lost);
	cli_print_u64(d->out, "nodes_unsure", s->nodes_unsure);
	cli_print_u64(d->out, "nodes_later", s->nodes_later);
	cli_print_u64(d->out, "blocks_overwritten", s->blocks_overwritten);
	cli_print_u64(d->out, "blocks_untold", s->blocks_untold);
	cli_print_end(d->out);
}

void dump_end_as_of(struct dump *d)
{
	struct f2fs_as_of_stat s = { F2FS_SIZED(f2fs_as_of_stat) };
	uint64_t lost, unsure;

	if (!d->as_of)
		return;
	f2fs_past_show_stat(d->as_of, &s);
	f2fs_past_close(d->as_of);
	d->as_of = NULL;
	if (s.version == 0)
		return;
	lost = s.inodes_lost + s.nodes_lost + s.blocks_overwritten;
	unsure = s.inodes_unsure + s.inodes_later + s.nodes_unsure + s.nodes_later + s.blocks_untold;
	if (lost)
		d->status |= DUMP_INCOMPLETE;
	if (d->is_json)
		put_json(d, &s);
	else if (!d->is_quiet && lost + unsure > 0)
		cli_warning(&d->cli,
			    "%s as of checkpoint %lu: %llu inodes and %llu nodes of that time are not left, "
			    "%llu blocks were written by others since; uncertain are "
			    "%llu inodes, %llu nodes, %llu blocks",
			    d->image, (unsigned long)s.version, (unsigned long long)s.inodes_lost,
			    (unsigned long long)s.nodes_lost, (unsigned long long)s.blocks_overwritten,
			    (unsigned long long)(s.inodes_unsure + s.inodes_later),
			    (unsigned long long)(s.nodes_unsure + s.nodes_later), (unsigned long long)s.blocks_untold);
}
