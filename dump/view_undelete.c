/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * dump.f2fs --undelete: which deleted files are wanted, and what became of each.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/size.h"
#include "dump/past_search.h"
#include "dump/session.h"
#include "dump/view_undelete.h"
#include "dump/views.h"

struct undelete {
	struct dump *d;
	const char *pattern;
	uint32_t number; /* inode, when is_number */
	int is_number;
};

static int matches(void *user, const struct f2fs_deleted *file)
{
	const struct undelete *u = user;

	if (!strcmp(u->pattern, "all"))
		return 1;
	if (u->is_number)
		return file->version.ino == u->number;
	return !fnmatch(u->pattern, file->path, 0) || !strcmp(u->pattern, file->path);
}

/* Describe an outcome, "" for nothing. */
static void describe(const struct f2fs_undelete_report *r, char *out, size_t size)
{
	const char *why = r->detail ? r->detail->message : "";

	if (r->detail && r->detail->sys_errno)
		why = strerror(r->detail->sys_errno);
	switch (r->outcome) {
	case F2FS_UNDELETE_BLANK:
		snprintf(out, size, "%s (--blank copies it as it is)", f2fs_undelete_text(r->outcome));
		break;
	case F2FS_UNDELETE_HOLES:
	case F2FS_UNDELETE_BLANK_HOLES:
	case F2FS_UNDELETE_BLANK_KEPT:
		snprintf(out, size, "%llu %s", (unsigned long long)r->count, f2fs_undelete_text(r->outcome));
		break;
	case F2FS_UNDELETE_NO_ATTRIBUTE:
		if (r->what[0])
			snprintf(out, size, "attribute %.260s: %.300s", r->what, why);
		else
			snprintf(out, size, "its extended attributes are lost");
		break;
	default:
		snprintf(out, size, "%s", r->detail ? why : f2fs_undelete_text(r->outcome));
	}
}

static int report(void *user, const struct f2fs_undelete_report *r)
{
	const struct undelete *u = user;
	char shown[4 * 1000], what[600];

	if (r->outcome == F2FS_UNDELETE_DONE)
		return cli_stopped();
	if (r->outcome == F2FS_UNDELETE_UNREADABLE) {
		dump_fail(u->d, r->detail->code, r->path);
		return cli_stopped();
	}
	f2fs_text_printable(r->path, strlen(r->path), shown, sizeof(shown));
	describe(r, what, sizeof(what));
	cli_error(&u->d->cli, "%s: %s", shown, what);
	u->d->status |= DUMP_INCOMPLETE;
	return cli_stopped();
}

int dump_open_to(struct dump *d, const char *what)
{
	int fd;

	if (!d->to) {
		cli_error(&d->cli, "%s needs --to=DIR", what);
		d->status |= DUMP_USAGE;
		return -1;
	}
	if (mkdir(d->to, 0777) && errno != EEXIST) {
		cli_error(&d->cli, "%s: %s", d->to, strerror(errno));
		d->status |= DUMP_FAILED;
		return -1;
	}
	fd = open(d->to, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		cli_error(&d->cli, "%s: %s", d->to, strerror(errno));
		d->status |= DUMP_FAILED;
	}
	return fd;
}

static int run(struct undelete *u, struct f2fs_past *past, const char *argument)
{
	struct f2fs_undelete_options options = { F2FS_SIZED(f2fs_undelete_options),
						 .flags = F2FS_UNDELETE_PARTS,
						 .directory = u->d->to,
						 .choose = matches,
						 .report = report,
						 .user = u };
	struct f2fs_undelete_result r = { F2FS_SIZED(f2fs_undelete_result) };
	int rc;

	if (u->d->takes_blank)
		options.flags |= F2FS_UNDELETE_AS_BLANK;
	if (argument[0] == '@' &&
	    dump_parse_number(u->d, "block address", argument + 1, u->d->geo->end_blkaddr, &options.addr))
		return F2FS_ERR_INVALID;
	rc = f2fs_undelete(past, &options, &r);
	if (rc == F2FS_ERR_NOT_FOUND && !r.found && argument[0] != '@') {
		cli_error(&u->d->cli, "%s: no deleted file of that name or number is left", argument);
		u->d->status |= DUMP_MISSING;
	} else if (rc && rc != F2FS_ERR_INCOMPLETE) {
		return dump_fail(u->d, rc, argument[0] == '@' ? argument : "--undelete");
	}
	cli_print_u64(u->d->out, "found", r.found);
	cli_print_u64(u->d->out, "restored", r.whole);
	cli_print_u64(u->d->out, "restored_likely", r.likely);
	cli_print_u64(u->d->out, "restored_in_part", r.part);
	cli_print_u64(u->d->out, "blank", r.blank);
	cli_print_u64(u->d->out, "not_restored", r.left_out);
	return 0;
}

int view_undelete(struct dump *d, const char *argument)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	struct undelete u = { .d = d, .pattern = argument };
	struct f2fs_past *past;
	const int top = dump_open_to(d, "--undelete");
	int rc;

	if (top < 0)
		return -1;
	close(top);
	u.is_number = argument[0] >= '0' && argument[0] <= '9' && !cli_parse_u32(argument, 0, UINT32_MAX, &u.number);
	rc = dump_past_open(d, &options, &past);
	if (!rc) {
		rc = run(&u, past, argument);
		dump_past_close(d, past);
	}
	return rc;
}
