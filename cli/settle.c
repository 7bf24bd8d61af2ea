/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commit the changes of a program, and report their state when the commit fails.
 */
#include "cli/settle.h"

#include <f2fskit/write.h>

int cli_commit(struct cli *cli, struct f2fs_volume *vol, const char *what)
{
	const int rc = f2fs_volume_commit(vol);
	int state;

	if (!rc)
		return 0;
	state = f2fs_volume_transaction(vol);
	cli_error_of(cli, f2fs_volume_context(vol), what);
	f2fs_volume_rollback(vol);
	if (state == F2FS_TRANSACTION_NONE)
		cli_error(cli, "%s: the changes are committed, but could not be read back", what);
	else if (f2fs_volume_transaction(vol) == F2FS_TRANSACTION_UNCERTAIN)
		cli_error(cli, "%s: it is not known whether the changes are permanent: look at the volume again", what);
	else if (rc == F2FS_ERR_UNCERTAIN)
		cli_error(cli, "%s: the changes were rolled back", what);
	return rc;
}
