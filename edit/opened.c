/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The image and the volume of a run: opened once, when a command needs them; changes are committed or rolled back.
 */
#include "cli/earlier_state.h"
#include "cli/repaired.h"
#include "cli/settle.h"
#include "cli/exit.h"
#include "edit/failure.h"
#include "edit/opened.h"

int edit_open_image(struct edit *e)
{
	int rc;

	if (e->opened.device)
		return 0;
	e->image.saves = 1;
	rc = cli_image_open(&e->cli, e->ctx, &e->image, &e->opened);
	if (!rc && e->image.is_repaired && (rc = cli_image_repair(&e->cli, &e->opened)) != 0)
		cli_image_close(&e->opened);
	if (rc) {
		edit_note(e, EDIT_FAILED);
		return rc;
	}
	if (!e->undo_path || !e->may_write)
		return 0;
	rc = cli_image_record(&e->opened, e->undo_path);
	if (rc) {
		edit_fail(e, rc, e->undo_path);
		cli_image_close(&e->opened);
	}
	return rc;
}

/* Show an earlier state from now on. */
static int open_as_of(struct edit *e)
{
	const char *why;
	int rc = cli_as_of_enter(&e->vol, &e->now, e->image.as_of, 0, &why);

	if (why)
		return edit_usage(e, "as-of", e->image.as_of, why);
	return rc ? edit_fail(e, rc, "as-of") : 0;
}

void edit_close_as_of(struct edit *e)
{
	struct f2fs_as_of_stat stat;

	if (!cli_as_of_leave(&e->vol, &e->now, &stat))
		return;
	if (e->cli.level >= F2FS_LOG_WARNING)
		cli_as_of_warn(&e->cli, e->image.path, &stat);
	if (cli_as_of_lost(&stat))
		edit_note(e, EDIT_INCOMPLETE);
}

static uint64_t version(const struct edit *e)
{
	static const char structure[] = "checkpoint";

	return f2fs_field_get(f2fs_field_find(f2fs_struct_find(structure), "checkpoint_ver"),
			      f2fs_volume_checkpoint(e->vol, NULL, NULL), 0);
}

int edit_open_volume(struct edit *e)
{
	const char *note_text;
	int rc;

	if (e->vol)
		return 0;
	rc = edit_open_image(e);
	if (rc)
		return rc;
	rc = f2fs_volume_open(e->ctx, e->opened.device, &e->opened.options, &e->vol);
	if (rc) {
		edit_fail(e, rc, e->image.path);
		e->status = EDIT_FAILED;
		return rc;
	}
	e->first_version = version(e);
	if (e->may_write) {
		rc = cli_writer_apply(&e->writer, e->vol);
		if (rc)
			return edit_fail(e, rc, e->image.path);
	}
	rc = cli_keys_add(&e->cli, &e->opened.keys, e->ctx, e->vol);
	if (rc) {
		e->status = EDIT_FAILED;
		return rc;
	}
	for (unsigned i = 0; (note_text = f2fs_volume_note(e->vol, i)) != NULL; i++)
		if (e->cli.level >= F2FS_LOG_WARNING)
			cli_warning(&e->cli, "%s", note_text);
	return e->image.as_of ? open_as_of(e) : 0;
}

int edit_need_write(struct edit *e, const char *command)
{
	if (e->may_write) {
		e->is_writing = 1;
		return 0;
	}
	cli_error(&e->cli, "%s changes the volume, which is opened for reading: -w allows it", command);
	edit_note(e, EDIT_USAGE);
	return F2FS_ERR_READ_ONLY;
}

int edit_save(struct edit *e)
{
	const int rc = cli_image_save(&e->cli, &e->opened);

	if (rc)
		edit_note(e, EDIT_FAILED);
	return rc;
}

int edit_commit(struct edit *e)
{
	int rc;

	if (!e->is_changed)
		return 0;
	rc = cli_commit(&e->cli, e->vol, "commit");
	e->is_changed = 0;
	if (rc) {
		edit_note(e, cli_exit_of(rc, 0) ? cli_exit_of(rc, 0) : EDIT_FAILED);
		return rc;
	}
	e->may_have_written = 1;
	rc = edit_save(e);
	if (!rc)
		e->cli.done = "all changes are committed";
	return rc;
}

/* Did this run make something true already: by a commit, also one for want of room, or past all commits? */
static int has_written(const struct edit *e)
{
	return e->may_have_written || (e->vol && version(e) != e->first_version);
}

void edit_rollback(struct edit *e)
{
	if (!e->is_changed)
		return;
	f2fs_volume_rollback(e->vol);
	e->is_changed = 0;
	cli_error(&e->cli, "nothing was changed%s",
		  has_written(e) ? " since the last commit; earlier changes stay" :
		  e->is_shell	 ? " since the last commit" :
				   "");
}

void edit_end_stopped(struct edit *e)
{
	if (e->is_changed)
		edit_rollback(e);
	else if (has_written(e))
		cli_error(&e->cli, "stopped; earlier changes stay");
	e->status = EDIT_FAILED;
}
