/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ranges of bytes that no file shows, and bytes as they are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump/past_search.h"
#include "dump/session.h"
#include "dump/views.h"

enum { PIECE = 1 << 20 };

static const struct cli_column columns[] = {
	{ "kind", -5 }, { "offset", 15 }, { "length", 12 }, { "block", 10 }, { "ino", 10 }, { "nid", 10 }, { "age", 5 },
};

static int put_range(void *user, const struct f2fs_leftover *range)
{
	struct dump *d = user;

	cli_print_begin(d->out, NULL);
	cli_print_string(d->out, "kind", f2fs_leftover_kind_name(range->kind));
	cli_print_u64(d->out, "offset", range->offset);
	cli_print_u64(d->out, "length", range->length);
	cli_print_u64(d->out, "block_addr", range->offset / d->geo->block_size);
	if (range->ino)
		cli_print_u64(d->out, "ino", range->ino);
	else
		cli_print_null(d->out, "ino");
	if (range->kind == F2FS_LEFTOVER_NODE) {
		cli_print_u64(d->out, "nid", range->nid);
		cli_print_u64(d->out, "age", range->age);
	} else {
		cli_print_null(d->out, "nid");
		cli_print_null(d->out, "age");
	}
	cli_print_bool(d->out, "is_enciphered", range->is_enciphered);
	cli_print_end(d->out);
	return cli_stopped() ? f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped") : 0;
}

/* Parse the words of the argument as flags; 0 for unknown words. */
static unsigned parse_kinds(const char *text)
{
	static const struct {
		const char *word;
		unsigned flag;
	} rows[] = {
		{ "free", F2FS_LEFTOVERS_FREE },
		{ "node", F2FS_LEFTOVERS_NODES },
		{ "slack", F2FS_LEFTOVERS_SLACK },
		{ "empty", F2FS_LEFTOVERS_EMPTY },
	};
	unsigned flags = 0;

	for (size_t n = 0;; text += n + 1) {
		unsigned found = 0;

		n = strcspn(text, ",");
		for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
			if (strlen(rows[i].word) == n && !strncmp(rows[i].word, text, n))
				found = rows[i].flag;
		if (!found)
			return 0;
		flags |= found;
		if (!text[n])
			return flags;
	}
}

int view_leftovers(struct dump *d, const char *argument)
{
	const struct f2fs_past_options options = { F2FS_SIZED(f2fs_past_options),
						   .flags = d->is_thorough ? F2FS_PAST_THOROUGH : 0 };
	const unsigned flags = argument ? parse_kinds(argument) : 0;
	struct f2fs_past *past;
	int rc;

	if (argument && !flags) {
		cli_usage_error(&d->cli, "--leftovers", argument, "is not a list of free, node, slack, empty");
		d->status |= DUMP_USAGE;
		return F2FS_ERR_INVALID;
	}
	rc = dump_past_open(d, &options, &past);
	if (rc)
		return rc;
	cli_print_begin_table(d->out, "leftovers", columns, sizeof(columns) / sizeof(columns[0]));
	rc = f2fs_past_list_leftovers(past, flags, put_range, d);
	cli_print_end_array(d->out);
	if (rc)
		dump_fail(d, rc, "--leftovers");
	dump_past_close(d, past);
	return rc;
}

int view_bytes(struct dump *d, const char *argument)
{
	const uint64_t end = (uint64_t)d->geo->end_blkaddr * d->geo->block_size;
	struct dump_range range;
	uint8_t *buffer;
	int rc = dump_view_range(d, "--bytes", argument, end, &range);

	if (rc)
		return rc;
	buffer = malloc(PIECE);
	if (!buffer)
		return dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_NOMEM, "out of memory"), "--bytes");
	for (uint64_t at = range.first, n; at < range.end && !rc; at += n) {
		n = range.end - at < PIECE ? range.end - at : PIECE;
		rc = cli_stopped() ? f2fs_context_fail(d->ctx, F2FS_ERR_CANCELED, "stopped") :
				     f2fs_volume_read(d->vol, at, buffer, (size_t)n);
		if (rc)
			dump_fail(d, rc, "--bytes");
		else if (fwrite(buffer, 1, (size_t)n, stdout) != n)
			rc = dump_fail(d, f2fs_context_fail(d->ctx, F2FS_ERR_IO, "cannot write the output"), "--bytes");
	}
	free(buffer);
	return rc;
}
