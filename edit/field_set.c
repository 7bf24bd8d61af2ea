/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Single fields by name: shown, and overwritten in place on volumes in any state.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/field_value.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"

/* One record: as text "address = value", or "address.old = ..." for a change. */
static int put_record(struct edit *e, const char *address, const struct f2fs_inject_value *v,
		      const struct f2fs_inject_value *before)
{
	struct cli_print *out = edit_print_open(e);

	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	if (e->is_json) {
		cli_print_string(out, "field", address);
		cli_print_string(out, "structure", v->structure);
		cli_print_u64(out, "offset", v->offset + v->field.offset);
		if (before)
			cli_put_field(out, "old", before);
		cli_put_field(out, "value", v);
	} else {
		cli_put_field(out, address, v);
	}
	cli_print_end(out);
	return edit_print_close(e, out);
}

/* ---- commands ---- */

/* Open the image for fields. Reopens the volume afterwards, because its memory would be out of date. */
static int open_fields(struct edit *e, struct f2fs_inject **out)
{
	int rc = edit_commit(e);

	if (rc)
		return rc;
	cli_writer_close(&e->writer, e->vol);
	f2fs_volume_close(e->vol);
	e->vol = NULL;
	rc = edit_open_image(e);
	if (rc)
		return rc;
	rc = f2fs_inject_open(e->ctx, e->opened.device, &e->opened.options, out);
	return rc ? edit_fail(e, rc, e->image.path) : 0;
}

int do_field(struct edit *e, const struct edit_call *call)
{
	struct f2fs_inject_value *value = malloc(sizeof(*value));
	struct f2fs_inject *inject = NULL;
	int rc;

	if (!value)
		return edit_no_memory(e);
	rc = open_fields(e, &inject);
	if (!rc) {
		for (int i = 0; !rc && i < call->count; i++) {
			rc = f2fs_inject_get(inject, call->operands[i], value);
			rc = rc ? edit_fail(e, rc, NULL) : put_record(e, call->operands[i], value, NULL);
		}
		f2fs_inject_close(inject);
	}
	free(value);
	return rc;
}

static int set_one(struct edit *e, struct f2fs_inject *inject, const char *address, const char *value, unsigned flags,
		   struct f2fs_inject_value *values)
{
	int rc = f2fs_inject_set(inject, address, value, flags, &values[0]);

	if (rc)
		return edit_fail(e, rc, NULL);
	if (e->cli.level < F2FS_LOG_WARNING) /* quiet */
		return 0;
	rc = f2fs_inject_get(inject, address, &values[1]);
	if (rc) /* the change removed something that the address needs */
		return put_record(e, address, &values[0], NULL);
	return put_record(e, address, &values[1], &values[0]);
}

int do_set(struct edit *e, const struct edit_call *call)
{
	unsigned flags = (edit_has(call, 'r') ? F2FS_INJECT_RAW : 0) | (edit_has(call, 'n') ? F2FS_INJECT_DRY_RUN : 0) |
			 (edit_has(call, 'f') ? F2FS_INJECT_FORCE : 0);
	struct f2fs_inject_value *values;
	struct f2fs_inject *inject = NULL;
	int rc;

	rc = flags & F2FS_INJECT_DRY_RUN ? 0 : edit_need_write(e, "set");
	if (rc)
		return rc;
	if (call->count % 2)
		return edit_usage(e, "set", call->operands[call->count - 1], "has no value");
	values = calloc(2, sizeof(*values));
	if (!values)
		return edit_no_memory(e);
	rc = open_fields(e, &inject);
	if (!rc) {
		for (int i = 0; !rc && i < call->count; i += 2)
			rc = set_one(e, inject, call->operands[i], call->operands[i + 1], flags, values);
		f2fs_inject_close(inject);
	}
	free(values);
	return rc;
}
