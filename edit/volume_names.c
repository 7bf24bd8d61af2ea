/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show and set label and UUID. They are no part of a transaction, so changes so far are committed first.
 */
#include <string.h>

#include <f2fskit/label.h>

#include "cli/uuid.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"

int do_label(struct edit *e, const struct edit_call *call)
{
	struct cli_print *out;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	int rc;

	if (call->count) {
		rc = edit_need_write(e, "label");
		if (!rc)
			rc = edit_commit(e);
		if (rc)
			return rc;
		rc = f2fs_volume_set_label(e->vol, call->operands[0]);
		return rc ? edit_fail(e, rc, "label") : 0;
	}
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	f2fs_volume_statfs(e->vol, &st);
	cli_print_begin(out, NULL);
	cli_print_bytes(out, "label", st.label, strlen(st.label));
	cli_print_end(out);
	return edit_print_close(e, out);
}

static int parse_uuid(struct edit *e, const char *text, uint8_t uuid[16])
{
	const char *why = cli_parse_new_uuid(&e->cli, text, uuid);

	return why ? edit_usage(e, "uuid", text, why) : 0;
}

int do_uuid(struct edit *e, const struct edit_call *call)
{
	unsigned flags = (edit_has(call, 'f') ? F2FS_UUID_FORCE : 0) | (edit_has(call, 'c') ? F2FS_UUID_CHECKSUM : 0);
	struct cli_print *out;
	struct f2fs_volume_stat st = { F2FS_SIZED(f2fs_volume_stat) };
	uint8_t uuid[16];
	int rc;

	if (call->count) {
		rc = edit_need_write(e, "uuid");
		if (!rc)
			rc = parse_uuid(e, call->operands[0], uuid);
		if (!rc)
			rc = edit_commit(e);
		if (rc)
			return rc;
		rc = f2fs_volume_set_uuid(e->vol, uuid, flags);
		return rc ? edit_fail(e, rc, "uuid") : 0;
	}
	if (flags)
		return edit_usage(e, "uuid", edit_has(call, 'c') ? "-c" : "-f", "needs a UUID, or random");
	out = edit_print_open(e);
	if (!out)
		return F2FS_ERR_NOMEM;
	f2fs_volume_statfs(e->vol, &st);
	cli_print_begin(out, NULL);
	cli_print_uuid(out, "uuid", st.uuid);
	cli_print_end(out);
	return edit_print_close(e, out);
}
