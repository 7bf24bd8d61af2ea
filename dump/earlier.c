/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --as-of: run the views of files on a volume of an earlier checkpoint. At the end dump.f2fs reports its missing and
 * uncertain parts.
 */
#include "cli/earlier_state.h"
#include "dump/dump.h"
#include "dump/versions.h"

int dump_open_as_of(struct dump *d, const char *version)
{
	const struct cli_as_of from = { .vol = d->vol, .version = version,
					.flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	const char *why = NULL;
	struct f2fs_volume *view;
	int rc = cli_as_of_open(&from, &why, &view);

	if (why) {
		cli_usage_error(&d->cli, "as-of", version, why);
		d->status |= DUMP_USAGE;
		return rc;
	}
	if (rc)
		return dump_fail(d, rc, "as-of");
	d->now = d->vol;
	d->vol = view;
	return 0;
}

void dump_close_as_of(struct dump *d)
{
	struct f2fs_as_of_stat s = { F2FS_SIZED(f2fs_as_of_stat) };

	if (!d->now)
		return;
	f2fs_volume_as_of_stat(d->vol, &s);
	f2fs_volume_close(d->vol);
	d->vol = d->now;
	d->now = NULL;
	if (cli_as_of_lost(&s))
		d->status |= DUMP_INCOMPLETE;
	if (d->is_json)
		cli_as_of_put(d->out, &s);
	else if (!d->is_quiet)
		cli_as_of_warn(&d->cli, d->image, &s);
}
