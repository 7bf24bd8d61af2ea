/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Exit statuses for errors of the library.
 */
#include "cli/exit.h"

#include <stddef.h>

#include <f2fskit/error.h>

static const struct {
	int rc, status;
	int reads; /* of programs that only read: others meet it in changing, too */
} rows[] = {
	{ F2FS_ERR_NOT_FOUND, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_NO_ATTR, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_NOT_DIR, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_IS_DIR, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_WRONG_TYPE, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_LOOP, CLI_EXIT_MISSING, 0 },
	{ F2FS_ERR_NAME_TOO_LONG, CLI_EXIT_MISSING, 1 },
	{ F2FS_ERR_CORRUPT, CLI_EXIT_INCOMPLETE, 0 },
	{ F2FS_ERR_ENCRYPTED, CLI_EXIT_INCOMPLETE, 0 },
	{ F2FS_ERR_DAMAGED_DATA, CLI_EXIT_INCOMPLETE, 0 },
	{ F2FS_ERR_INCOMPLETE, CLI_EXIT_INCOMPLETE, 0 },
	{ F2FS_ERR_RANGE, CLI_EXIT_INCOMPLETE, 1 }, /* beyond the end of a truncated image */
	{ F2FS_ERR_IO, CLI_EXIT_INCOMPLETE, 1 },
	{ F2FS_ERR_UNSUPPORTED, CLI_EXIT_INCOMPLETE, 1 },
};

int cli_exit_of(int rc, int reads)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].rc == rc && (reads || !rows[i].reads))
			return rows[i].status;
	return 0;
}
