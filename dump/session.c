/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Helpers of all views: report failures and keep the exit status, read operands that are numbers, ranges or inodes.
 */

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/exit.h"
#include "cli/join.h"
#include "cli/size.h"
#include "dump/session.h"

int dump_fail(struct dump *d, int rc, const char *what)
{
	const int status = cli_exit_of(rc, 1);

	cli_error_of(&d->cli, d->ctx, what);
	d->status |= status ? status : DUMP_FAILED;
	return rc;
}

int dump_fail_below(struct dump *d, int rc, const char *start, const char *path)
{
	char *both = cli_join(start, path);

	dump_fail(d, rc, both ? both : path);
	free(both);
	return rc;
}

void dump_damage(struct dump *d, const char *format, ...)
{
	char message[500];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	cli_error(&d->cli, "%s", message);
	d->status |= DUMP_INCOMPLETE;
}

static const char *parse_bound(const char *text, size_t n, uint64_t *out)
{
	char number[32];

	if (n == 0 || n >= sizeof(number))
		return "is not a range (FIRST~END, END exclusive, -1 for the end)";
	memcpy(number, text, n);
	number[n] = '\0';
	if (cli_parse_u64(number, 0, UINT32_MAX, out))
		return "is not a range (FIRST~END, END exclusive, -1 for the end)";
	return NULL;
}

const char *dump_parse_range(const char *text, uint64_t limit, struct dump_range *out)
{
	const char *tilde = strchr(text, '~');
	struct dump_range range = { 0, limit };
	const char *why = parse_bound(text, tilde ? (size_t)(tilde - text) : strlen(text), &range.first);

	if (!why && tilde && strcmp(tilde + 1, "-1"))
		why = parse_bound(tilde + 1, strlen(tilde + 1), &range.end);
	if (why)
		return why;
	if (range.end > limit)
		range.end = limit;
	if (range.first > range.end) {
		if (range.first < limit)
			return "ends before it starts";
		range.first = range.end;
	}
	*out = range;
	return NULL;
}

static int beyond_end(struct dump *d, const char *what, const char *text, uint64_t limit)
{
	cli_error(&d->cli, "%s: %s is past the end, it must be less than %llu", what, text,
		  (unsigned long long)limit);
	d->status |= DUMP_MISSING;
	return F2FS_ERR_RANGE;
}

int dump_view_range(struct dump *d, const char *what, const char *text, uint64_t limit, struct dump_range *out)
{
	struct dump_range range = { 0, limit };
	const char *why = text ? dump_parse_range(text, limit, &range) : NULL;

	if (why) {
		cli_usage_error(&d->cli, what, text, why);
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	if (text && !strchr(text, '~') && range.first < range.end)
		range.end = range.first + 1;
	if (text && range.first >= range.end && range.first >= limit) {
		return beyond_end(d, what, text, limit);
	}
	*out = range;
	return 0;
}

int dump_parse_number(struct dump *d, const char *what, const char *text, uint64_t limit, uint32_t *out)
{
	const char *why = cli_parse_u32(text, 0, UINT32_MAX, out);

	if (why) {
		cli_usage_error(&d->cli, what, text, why);
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	return *out < limit ? 0 : beyond_end(d, what, text, limit);
}

int dump_find_ino(struct dump *d, const char *what, const char *operand, uint32_t *out)
{
	struct f2fs_inode *inode;
	int rc;

	if (operand[0] >= '0' && operand[0] <= '9' && !cli_parse_u32(operand, 0, UINT32_MAX, out))
		return dump_parse_number(d, what, operand, d->geo->max_nid, out);
	rc = dump_open_inode(d, operand, 0, &inode);
	if (rc)
		return rc;
	*out = f2fs_inode_number(inode);
	f2fs_inode_close(inode);
	return 0;
}

int dump_open_inode(struct dump *d, const char *operand, unsigned lookup_flags, struct f2fs_inode **out)
{
	uint32_t ino;
	int rc;

	if (operand[0] == '@') {
		if (dump_parse_number(d, "block address", operand + 1, d->geo->end_blkaddr, &ino))
			return F2FS_ERR_INVALID;
		rc = f2fs_inode_open_at(d->vol, NULL, ino, d->takes_blank ? F2FS_AT_BLANK : 0, out);
	} else if (operand[0] >= '0' && operand[0] <= '9' && !cli_parse_u32(operand, 0, UINT32_MAX, &ino)) {
		if (ino >= d->geo->max_nid)
			return beyond_end(d, "inode", operand, d->geo->max_nid);
		rc = f2fs_inode_open(d->vol, ino, out);
	} else {
		rc = f2fs_lookup(d->vol, operand, lookup_flags, out);
	}
	return rc ? dump_fail(d, rc, operand) : 0;
}
