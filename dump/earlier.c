/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --as-of: the views of files work on an earlier state of the volume; what was missing or uncertain is told in the end.
 */
#include "cli/earlier_state.h"
#include "dump/dump.h"
#include "dump/versions.h"

int dump_show_as_of(struct dump *d, const char *version)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	const char *why = NULL;
	int rc = dump_past_open(d, &options, &d->as_of);

	if (rc)
		return rc;
	rc = cli_as_of_show(d->as_of, version, &why);
	if (rc == F2FS_ERR_RANGE)
		why = f2fs_context_error(d->ctx)->message;
	if (why) {
		cli_usage_error(&d->cli, "--as-of", version, why);
		d->status |= DUMP_USAGE;
		return rc;
	}
	return rc ? dump_fail(d, rc, "--as-of") : 0;
}

void dump_end_as_of(struct dump *d)
{
	struct f2fs_as_of_stat s = { F2FS_SIZED(f2fs_as_of_stat) };

	if (!d->as_of)
		return;
	f2fs_past_show_stat(d->as_of, &s);
	f2fs_past_close(d->as_of);
	d->as_of = NULL;
	if (s.version == 0)
		return;
	if (cli_as_of_lost(&s))
		d->status |= DUMP_INCOMPLETE;
	if (d->is_json)
		cli_as_of_put(d->out, &s);
	else if (!d->is_quiet)
		cli_as_of_warn(&d->cli, d->image, &s);
}
