/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Extended attributes of a file.
 */
#include <string.h>

#include "dump/session.h"
#include "dump/view_xattr.h"
#include "dump/views.h"

static void put_xattr(struct dump *d, const struct f2fs_xattr *x)
{
	cli_print_begin(d->out, NULL);
	cli_print_bytes(d->out, "name", x->name, strlen(x->name));
	cli_print_u64(d->out, "size", x->value_size);
	if (cli_print_is_text(d->out)) {
		cli_print_bytes(d->out, "value", x->value, x->value_size);
	} else {
		if (f2fs_text_is_utf8(x->value, x->value_size))
			cli_print_bytes(d->out, "value", x->value, x->value_size);
		cli_print_digits(d->out, "value_hex", x->value, x->value_size);
		cli_print_u64(d->out, "name_index", x->name_index);
		cli_print_bool(d->out, "is_internal", x->is_internal);
	}
	cli_print_end(d->out);
}

int dump_xattrs(struct dump *d, struct f2fs_inode *inode)
{
	static const struct cli_column columns[] = { { "name", -32 }, { "size", 5 }, { "value", -1 } };
	int count = f2fs_xattr_count(inode), worst = 0;

	if (count < 0)
		worst = dump_fail(d, count, "extended attributes");
	cli_print_begin_table(d->out, "xattrs", columns, 3);
	for (int i = 0; i < count; i++) {
		struct f2fs_xattr x;
		int rc = f2fs_xattr_at(inode, (unsigned)i, &x);

		if (rc)
			worst = dump_fail(d, rc, "extended attribute");
		else
			put_xattr(d, &x);
	}
	cli_print_end_array(d->out);
	return worst;
}

int view_xattr(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode;
	int rc = dump_open_inode(d, argument, 0, &inode);

	if (rc)
		return rc;
	rc = dump_xattrs(d, inode);
	f2fs_inode_close(inode);
	return rc;
}
