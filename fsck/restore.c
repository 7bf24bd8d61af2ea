/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Taking a repair back: its undo file is played back. Where the repair made a cut file longer, that file gets its old
 * length again.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "restore.h"

#include "cli/repaired.h"
#include "devices.h"

struct restore {
	struct cli *cli;
	struct f2fs_context *ctx;
	const struct arguments *arguments;
	struct cli_opened opened;
	struct f2fs_undo_info info;
	uint64_t old_length; /* of a file that the repair made longer, else 0 */
};

/* Is the file as long as a repair makes one that was cut? */
static int is_made_longer(struct restore *r)
{
	struct stat st;

	return !r->opened.sparse && !r->opened.is_partition && r->opened.options.device_count == 0 &&
	       stat(r->arguments->image.path, &st) == 0 && S_ISREG(st.st_mode) && r->info.device_size > 0 &&
	       r->info.device_size < (uint64_t)st.st_size && cli_volume_end(&r->opened) == (uint64_t)st.st_size;
}

/* Restore the part that the file had when it was recorded. The file has grown since. */
static int restore_part(struct restore *r)
{
	struct f2fs_device *log, *part;
	int rc = f2fs_device_open(r->ctx, r->arguments->restore, F2FS_OPEN_READ, &log);

	if (rc)
		return rc;
	rc = f2fs_device_open_slice(r->opened.device, 0, r->info.device_size, &part);
	if (!rc) {
		r->old_length = r->info.device_size;
		rc = f2fs_undo_restore(log, &part, 1, r->arguments->is_forced, &r->info);
		f2fs_device_close(part);
	}
	f2fs_device_close(log);
	return rc;
}

static int restore_all(struct restore *r)
{
	struct f2fs_error_detail why;
	int rc = cli_image_restore(&r->opened, r->arguments->restore, r->arguments->is_forced, &r->info);

	if (rc != F2FS_ERR_STATE)
		return rc;
	why = *f2fs_context_error(r->ctx);
	if (is_made_longer(r))
		return restore_part(r);
	return f2fs_context_fail(r->ctx, F2FS_ERR_STATE, why.message);
}

static int cut(struct restore *r)
{
	const char *path = r->arguments->image.path;

	if (truncate(path, (off_t)r->old_length) == 0)
		return 0;
	cli_error(r->cli, "%s: its length cannot become %llu bytes again: %s", path, (unsigned long long)r->old_length,
		  strerror(errno));
	return -1;
}

static void tell(const struct restore *r)
{
	const struct arguments *a = r->arguments;

	if (!a->is_quiet)
		printf("Info: %llu bytes in %llu places were put back%s\n", (unsigned long long)r->info.bytes,
		       (unsigned long long)r->info.records,
		       r->info.is_sealed ? "" : " (the repair had been cut short)");
	if (!a->is_quiet && r->old_length)
		printf("Info: %s is %llu bytes long again\n", a->image.path, (unsigned long long)r->old_length);
	if (a->is_forced)
		cli_warning(r->cli, "later writes may not fit the bytes that were put back: check the volume");
	if (r->info.left)
		cli_warning(r->cli, CLI_UNDO_LEFT, a->restore, (unsigned long long)r->info.records,
			    (unsigned long long)r->info.left);
}

int session_restore(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct restore r = { .cli = cli, .ctx = ctx, .arguments = a, .info = { F2FS_SIZED(f2fs_undo_info) } };
	struct cli_image image = a->image;
	int rc;

	image.flags = F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE;
	image.saves = 1;
	if (cli_image_open(cli, ctx, &image, &r.opened))
		return CLI_EXIT_OPERATIONAL;
	rc = restore_all(&r);
	if (rc) {
		cli_error_of(cli, ctx, a->restore);
		if (rc == F2FS_ERR_STATE && !a->is_forced)
			cli_error(cli, "-f puts the recorded bytes back all the same");
	} else {
		rc = cli_image_save(cli, &r.opened);
	}
	if (!rc && r.old_length)
		rc = cut(&r);
	if (!rc)
		tell(&r);
	cli_image_close(&r.opened);
	return rc ? CLI_EXIT_OPERATIONAL : CLI_EXIT_OK;
}
