/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the differences between two versions of a file: fields of the inodes, extended attributes, and ranges of file
 * blocks.
 */
#include <string.h>

#include "dump/session.h"
#include "dump/views.h"

/* The arrays of the view, by kind of difference; those without any are there, too. */
static const char *const arrays[] = { "fields", "xattrs", "ranges" };

struct shown {
	struct dump *d;
	int array; /* that is open */
};

static void open_array(struct shown *s, int array)
{
	while (s->array < array) {
		if (s->array >= 0)
			cli_print_end_array(s->d->out);
		cli_print_begin_array(s->d->out, arrays[++s->array]);
	}
}

static int put(void *user, const struct f2fs_version_difference *found)
{
	static const char *const contents[] = { "same", "differ", "unknown" };
	struct shown *s = user;
	struct cli_print *out = s->d->out;

	open_array(s, found->kind);
	if (found->kind == F2FS_VERSION_XATTR) {
		cli_print_bytes(out, NULL, found->name, strlen(found->name));
	} else {
		cli_print_begin(out, NULL);
		if (found->kind == F2FS_VERSION_FIELD)
			cli_print_string(out, "field", found->name);
		if (found->is_number) {
			cli_print_s64(out, "first", (int64_t)found->first);
			cli_print_s64(out, "second", (int64_t)found->second);
		}
		if (found->kind == F2FS_VERSION_RANGE) {
			cli_print_u64(out, "file_block", found->file_block);
			cli_print_u64(out, "count", found->count);
			cli_print_string(out, "contents", contents[found->contents]);
		}
		cli_print_end(out);
	}
	return cli_stopped() ? f2fs_context_fail(s->d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

static int show(struct dump *d, struct f2fs_inode *const *inode, const f2fs_blk_t *addr)
{
	struct shown s = { .d = d, .array = -1 };
	int rc;

	cli_print_u64(d->out, "first", addr[0]);
	cli_print_u64(d->out, "second", addr[1]);
	rc = f2fs_inode_compare(inode[0], inode[1], put, &s);
	open_array(&s, F2FS_VERSION_RANGE);
	cli_print_end_array(d->out);
	return rc ? dump_fail(d, rc, "--versions") : 0;
}

int view_differences(struct dump *d, const char *argument)
{
	struct f2fs_inode *inode[2] = { NULL, NULL };
	const char *comma = strchr(argument, ','), *second = comma ? comma + 1 + (comma[1] == '@') : NULL;
	f2fs_blk_t addr[2];
	char first[24];
	int rc = 0;

	argument += argument[0] == '@';
	if (!comma || comma <= argument || (size_t)(comma - argument) >= sizeof(first)) {
		cli_usage_error(&d->cli, "--versions", argument, "is not two block addresses with a comma");
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	memcpy(first, argument, (size_t)(comma - argument));
	first[comma - argument] = '\0';
	for (unsigned i = 0; i < 2 && !rc; i++)
		rc = dump_parse_number(d, "block address", i ? second : first, d->geo->end_blkaddr, &addr[i]);
	for (unsigned i = 0; i < 2 && !rc; i++) {
		rc = f2fs_inode_open_at(d->vol, NULL, addr[i], 0, &inode[i]);
		if (rc)
			dump_fail(d, rc, argument);
	}
	if (!rc)
		rc = show(d, inode, addr);
	f2fs_inode_close(inode[0]);
	f2fs_inode_close(inode[1]);
	return rc;
}
