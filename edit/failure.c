/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report failures of commands. The first failure decides the exit status of the run.
 */
#include <errno.h>
#include <string.h>

#include "cli/exit.h"
#include "edit/failure.h"

void edit_note(struct edit *e, int status)
{
	if (e->status == EDIT_OK)
		e->status = status;
}

int edit_fail(struct edit *e, int rc, const char *what)
{
	const int status = cli_exit_of(rc, 0);

	cli_error_of(&e->cli, e->ctx, what);
	edit_note(e, status ? status : EDIT_FAILED);
	return rc;
}

int edit_usage(struct edit *e, const char *what, const char *value, const char *why)
{
	cli_error(&e->cli, "%s: '%s' %s", what, value, why);
	edit_note(e, EDIT_USAGE);
	return F2FS_ERR_INVALID;
}

int edit_told(struct edit *e)
{
	edit_note(e, EDIT_FAILED);
	return F2FS_ERR_ACCESS;
}

int edit_host_fail(struct edit *e, const char *what)
{
	const int is_missing = errno == ENOENT || errno == ENOTDIR;

	cli_error(&e->cli, "%s: %s", what, strerror(errno));
	edit_note(e, is_missing ? EDIT_MISSING : EDIT_FAILED);
	return F2FS_ERR_ACCESS;
}

int edit_stopped(struct edit *e, const char *what)
{
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_CANCELED, "stopped"), what);
}

int edit_no_memory(struct edit *e)
{
	return edit_fail(e, f2fs_context_fail(e->ctx, F2FS_ERR_NOMEM, "out of memory"), NULL);
}
