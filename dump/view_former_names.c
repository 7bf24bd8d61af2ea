/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names that files in use once had.
 */
#include <string.h>

#include "dump/past_search.h"
#include "dump/view_deleted.h"
#include "dump/views.h"

static const struct cli_column columns[] = {
	{ "ino", 10 },	  { "path is", -7 }, { "now is", -7 }, { "unsure", -6 },
	{ "type", -10 }, { "path", -30 },   { "now", -1 },
};

static int put_name(void *user, const struct f2fs_former_name *name)
{
	struct dump *d = user;

	cli_print_begin(d->out, NULL);
	cli_print_u64(d->out, "ino", name->ino);
	cli_print_string(d->out, "path_state", dump_path_state_name(name->path_state));
	cli_print_string(d->out, "now_state", dump_path_state_name(name->now_state));
	cli_print_bool(d->out, "is_unsure", name->is_unsure);
	cli_print_string(d->out, "type", cli_type_name(name->type));
	cli_print_bytes(d->out, "path", name->path, strlen(name->path));
	cli_print_bytes(d->out, "now", name->now, strlen(name->now));
	if (!cli_print_is_text(d->out))
		cli_print_u64(d->out, "parent", name->parent);
	cli_print_end(d->out);
	return cli_stopped() ? f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static int search(struct f2fs_past *past, struct dump *d)
{
	return f2fs_past_list_names(past, put_name, d);
}

int view_former_names(struct dump *d, const char *argument)
{
	static const struct dump_search whole = { "former_names", "--versions", columns,
						   sizeof(columns) / sizeof(columns[0]), search };

	(void)argument;
	return dump_search(d, &whole);
}
