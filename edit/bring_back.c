/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command undelete: which deleted files are wanted back in the volume, and what became of each.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/host.h"
#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"
#include "host/temporary.h"

struct undelete {
	struct edit *e;
	const char *pattern;
	uint32_t number;
	int is_number;
	unsigned links_left; /* further names that were not made */
};

static int matches(void *user, const struct f2fs_deleted *file)
{
	const struct undelete *u = user;

	if (!strcmp(u->pattern, "all"))
		return 1;
	return u->is_number ? file->version.ino == u->number
			    : !fnmatch(u->pattern, file->path, 0) || !strcmp(u->pattern, file->path);
}

/* What helps, in words of this command; "" for nothing. */
static const char *advice(unsigned outcome)
{
	switch (outcome) {
	case F2FS_UNDELETE_BLANK:
		return " (-b brings it back as it is)";
	case F2FS_UNDELETE_PARTLY_BLANK:
	case F2FS_UNDELETE_OVERWRITTEN:
		return " (-p brings back the rest)";
	default:
		return "";
	}
}

static int report(void *user, const struct f2fs_undelete_report *r)
{
	struct undelete *u = user;
	char shown[4 * 1000], count[32] = "";

	if (r->outcome == F2FS_UNDELETE_DONE)
		return cli_stopped();
	f2fs_text_printable(r->path, strlen(r->path), shown, sizeof(shown));
	if (r->count)
		snprintf(count, sizeof(count), "%llu ", (unsigned long long)r->count);
	if (r->outcome == F2FS_UNDELETE_NO_ATTRIBUTE)
		cli_error(&u->e->cli, "undelete: %s: its extended attributes are lost", shown);
	else
		cli_error(&u->e->cli, "undelete: %s: %s%s%s", shown, count,
			  r->detail ? r->detail->message : f2fs_undelete_text(r->outcome), advice(r->outcome));
	u->links_left += r->outcome == F2FS_UNDELETE_NO_LINK;
	if (!u->e->status)
		u->e->status = EDIT_INCOMPLETE;
	return cli_stopped();
}

static int put_counts(struct edit *e, const struct undelete *u, const struct f2fs_undelete_result *r)
{
	const uint64_t back = r->whole + r->likely + r->part, left_out = r->left_out + r->part + u->links_left;
	struct cli_print *out = e->is_json ? edit_print_open(e) : NULL;

	if (!out) {
		printf("%llu files are back, %llu are not, or not as a whole\n", (unsigned long long)back,
		       (unsigned long long)left_out);
		return 0;
	}
	cli_print_begin(out, NULL);
	cli_print_u64(out, "back", back);
	cli_print_u64(out, "left_out", left_out);
	cli_print_u64(out, "blank", r->blank);
	cli_print_end(out);
	return edit_print_close(e, out);
}

/* Name the option that continues where reads failed. */
static void advise(struct edit *e, const struct f2fs_past *past, int rc)
{
	struct f2fs_past_stat st = { F2FS_SIZED(f2fs_past_stat) };
	char why[500];

	f2fs_past_stat(past, &st);
	if (rc != F2FS_ERR_IO || !st.unreadable || e->image.accept_unread)
		return;
	snprintf(why, sizeof(why), "%s (--accept-unread continues)", f2fs_context_error(e->ctx)->message);
	f2fs_context_fail(e->ctx, rc, why);
}

static int run(struct undelete *u, const char *top, unsigned flags)
{
	const struct f2fs_undelete_options options = { F2FS_SIZED(f2fs_undelete_options),
						       .flags = flags,
						       .into = top,
						       .temporary = host_temporary_directory(),
						       .now = edit_now(u->e),
						       .choose = matches,
						       .report = report,
						       .user = u };
	struct f2fs_undelete_result result = { F2FS_SIZED(f2fs_undelete_result) };
	struct f2fs_past *past;
	int rc = f2fs_past_open(u->e->vol, NULL, &past);

	if (rc)
		return edit_fail(u->e, rc, "undelete");
	rc = f2fs_undelete(past, &options, &result);
	if (f2fs_volume_transaction(u->e->vol) != F2FS_TRANSACTION_NONE)
		u->e->is_changed = 1;
	if (rc == F2FS_ERR_INCOMPLETE)
		rc = 0;
	if (rc == F2FS_ERR_NOT_FOUND && !result.found) {
		f2fs_context_fail(u->e->ctx, rc, "no deleted file of that name or number is left");
		edit_fail(u->e, rc, u->pattern);
	} else if (rc) {
		advise(u->e, past, rc);
		edit_fail(u->e, rc, "undelete");
	}
	f2fs_past_close(past);
	return rc ? rc : put_counts(u->e, u, &result);
}

int do_undelete(struct edit *e, const struct edit_call *call)
{
	struct undelete u = { .e = e, .pattern = call->operands[0] };
	char *top = edit_path(e, call->count > 1 ? call->operands[1] : "/");
	unsigned flags = 0;
	int rc = top ? 0 : edit_no_memory(e);

	if (call->count > 1 && !*call->operands[1])
		rc = edit_usage(e, "name", "", "is empty");
	if (!rc)
		rc = edit_commit(e); /* what changes has no past */
	if (!rc && call->count > 1)
		rc = edit_need_directory(e, call->operands[1]);
	if (edit_has(call, 'p'))
		flags |= F2FS_UNDELETE_PARTS;
	if (edit_has(call, 'b'))
		flags |= F2FS_UNDELETE_AS_BLANK;
	if (e->image.accept_unread)
		flags |= F2FS_UNDELETE_UNREAD;
	u.is_number = u.pattern[0] >= '0' && u.pattern[0] <= '9' && !cli_parse_u32(u.pattern, 0, UINT32_MAX, &u.number);
	if (!rc)
		rc = run(&u, top, flags);
	free(top);
	return rc;
}
