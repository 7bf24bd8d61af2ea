/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Select an earlier checkpoint, and report missing or uncertain parts of its reconstructed state.
 */
#include "cli/earlier_state.h"

#include "cli/host.h"
#include "cli/print.h"
#include "cli/size.h"

/* Open the view that a search and a version lead to. */
static int open_view(struct f2fs_past *past, uint32_t number, int is_relative, struct f2fs_volume **out)
{
	struct f2fs_past_stat stat = { F2FS_SIZED(f2fs_past_stat) };

	f2fs_past_stat(past, &stat);
	if (is_relative || number == 0)
		number = number < stat.newest ? stat.newest - number : 0; /* 0 is too old, and refused as such */
	return f2fs_volume_open_as_of(past, number, out);
}

int cli_as_of_open(const struct cli_as_of *from, const char **why, struct f2fs_volume **out)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options), .flags = from->flags };
	const int is_relative = from->version[0] == '-';
	struct f2fs_past *past;
	uint32_t number;
	int rc;

	*why = cli_parse_u32(from->version + is_relative, 0, UINT32_MAX, &number);
	if (*why)
		return F2FS_ERR_INVALID;
	rc = f2fs_past_open(from->vol, &options, &past);
	if (rc)
		return rc;
	rc = open_view(past, number, is_relative, out);
	if (rc == F2FS_ERR_RANGE)
		*why = f2fs_context_error(f2fs_volume_context(from->vol))->message;
	f2fs_past_close(past);
	return rc;
}

int cli_as_of_enter(struct f2fs_volume **vol, struct f2fs_volume **now, const char *version, unsigned flags,
		    const char **why)
{
	const struct cli_as_of from = { .vol = *vol, .version = version, .flags = flags };
	struct f2fs_volume *view;
	int rc = cli_as_of_open(&from, why, &view);

	if (rc)
		return rc;
	*now = *vol;
	*vol = view;
	return 0;
}

int cli_as_of_leave(struct f2fs_volume **vol, struct f2fs_volume **now, struct f2fs_as_of_stat *stat)
{
	if (!*now)
		return 0;
	*stat = (struct f2fs_as_of_stat){ F2FS_SIZED(f2fs_as_of_stat) };
	f2fs_volume_as_of_stat(*vol, stat);
	f2fs_volume_close(*vol);
	*vol = *now;
	*now = NULL;
	return 1;
}

void cli_as_of_put(struct cli_print *out, const struct f2fs_as_of_stat *s)
{
	cli_print_begin(out, "as_of");
	cli_print_u64(out, "version", s->version);
	cli_print_u64(out, "newest", s->newest);
	cli_print_u64(out, "inodes_lost", s->inodes_lost);
	cli_print_u64(out, "inodes_unsure", s->inodes_unsure);
	cli_print_u64(out, "nodes_lost", s->nodes_lost);
	cli_print_u64(out, "nodes_unsure", s->nodes_unsure);
	cli_print_u64(out, "blocks_overwritten", s->blocks_overwritten);
	cli_print_u64(out, "blocks_unknown", s->blocks_unknown);
	cli_print_u64(out, "blocks_blank", s->blocks_blank);
	cli_print_end(out);
}

uint64_t cli_as_of_lost(const struct f2fs_as_of_stat *s)
{
	return s->inodes_lost + s->nodes_lost + s->blocks_overwritten + s->blocks_blank;
}

void cli_as_of_warn(struct cli *cli, const char *image, const struct f2fs_as_of_stat *s)
{
	if (cli_as_of_lost(s) + s->inodes_unsure + s->nodes_unsure + s->blocks_unknown == 0)
		return;
	cli_warning(cli,
		    "%s as of checkpoint %lu: %llu inodes and %llu nodes of that time are not left, %llu blocks were "
		    "written by others since, %llu are blank (probably discarded); uncertain are %llu inodes, %llu "
		    "nodes, %llu blocks",
		    image, (unsigned long)s->version, (unsigned long long)s->inodes_lost,
		    (unsigned long long)s->nodes_lost, (unsigned long long)s->blocks_overwritten,
		    (unsigned long long)s->blocks_blank,
		    (unsigned long long)s->inodes_unsure, (unsigned long long)s->nodes_unsure,
		    (unsigned long long)s->blocks_unknown);
}
