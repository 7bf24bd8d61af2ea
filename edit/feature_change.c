/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the features of a volume, and turn them on and off. They are no part of a transaction, so changes so far are
 * committed first.
 */
#include <stdio.h>
#include <string.h>

#include <f2fskit/label.h>

#include "cli/feature_list.h"
#include "cli/feature_table.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/opened.h"
#include "edit/paths.h"

static int show(struct edit *e)
{
	struct cli_print *out = edit_print_open(e);

	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_features(out, e->vol);
	cli_print_end(out);
	return edit_print_close(e, out);
}

/* Parse +NAME, -NAME and ^NAME. Reports errors. */
static int take_wishes(struct edit *e, const struct edit_call *call, struct f2fs_features_options *o)
{
	const char *why;

	for (int i = 0; i < call->count; i++) {
		const char *word = call->operands[i];

		if (!strchr("+-^", word[0]) || !word[0])
			return edit_usage(e, "feature", word, "does not begin with + or -");
		why = cli_feature_wish(o, word + 1, strlen(word + 1), word[0] != '+');
		if (why)
			return edit_usage(e, "feature", word, why);
	}
	if (!edit_has(call, 'E'))
		return 0;
	why = cli_parse_encoding_flags(call->options['E'], &o->encoding_flags);
	if (why)
		return edit_usage(e, "encoding", call->options['E'], why);
	if (!(o->on & F2FS_FEAT_CASEFOLD))
		return edit_usage(e, "encoding", call->options['E'], "is for +casefold");
	return 0;
}

static int report(struct edit *e, const struct f2fs_features_options *o, const struct f2fs_features_result *result)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);
	struct cli_print *out = edit_print_open(e);

	if (!out)
		return F2FS_ERR_NOMEM;
	cli_print_begin(out, NULL);
	cli_print_bool(out, "dry_run", o->dry_run);
	cli_print_flags(out, "on", result->after & ~result->before, flags, count);
	cli_print_flags(out, "off", result->before & ~result->after, flags, count);
	cli_print_flags(out, "features", result->after, flags, count);
	cli_print_bool(out, CLI_LARGE_NAT, result->large_nat_after);
	cli_print_u64(out, "inodes", result->inodes);
	if (o->convert)
		cli_print_u64(out, "left", result->left);
	cli_print_u64(out, "moved_blocks", result->moved_blocks);
	if ((o->on | o->off) & F2FS_FEAT_PACKED_SSA)
		cli_print_s64(out, "won_segments", result->won_segments);
	cli_print_end(out);
	return edit_print_close(e, out);
}

int do_feature(struct edit *e, const struct edit_call *call)
{
	struct f2fs_features_options options = { F2FS_SIZED(f2fs_features_options) };
	struct f2fs_features_result result = { F2FS_SIZED(f2fs_features_result) };
	int rc;

	options.dry_run = edit_has(call, 'n') != 0;
	options.convert = edit_has(call, 'X') != 0;
	if (!call->count && !options.convert && (options.dry_run || edit_has(call, 'E')))
		return edit_usage(e, "feature", options.dry_run ? "-n" : "-E", "needs +NAME or -NAME");
	if (!call->count && !options.convert)
		return show(e);
	rc = take_wishes(e, call, &options);
	if (!rc && !options.dry_run)
		rc = edit_need_write(e, "feature");
	if (!rc && !options.dry_run)
		rc = edit_commit(e);
	if (rc)
		return rc;
	rc = f2fs_volume_set_features(e->vol, &options, &result);
	return rc ? edit_fail(e, rc, "feature") : report(e, &options, &result);
}
