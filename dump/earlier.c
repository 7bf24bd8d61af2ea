/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * --as-of: run the views of files on a volume of an earlier checkpoint. At the end dump.f2fs reports its missing and
 * uncertain parts.
 */
#include "cli/earlier_state.h"
#include "dump/earlier.h"
#include "dump/session.h"

int dump_open_as_of(struct dump *d, const char *version)
{
	const char *why;
	int rc = cli_as_of_enter(&d->vol, &d->now, version, d->is_thorough ? F2FS_PAST_THOROUGH : 0, &why);

	if (why) {
		cli_usage_error(&d->cli, "as-of", version, why);
		d->status |= DUMP_USAGE;
		return rc;
	}
	return rc ? dump_fail(d, rc, "as-of") : 0;
}

void dump_close_as_of(struct dump *d)
{
	struct f2fs_as_of_stat s;

	if (!cli_as_of_leave(&d->vol, &d->now, &s))
		return;
	if (cli_as_of_lost(&s))
		d->status |= DUMP_INCOMPLETE;
	if (d->is_json)
		cli_as_of_put(d->out, &s);
	else if (!d->is_quiet)
		cli_as_of_warn(&d->cli, d->image, &s);
}
