/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of features.
 */
#include "cli/feature_table.h"

#include <f2fskit/format.h>
#include <f2fskit/label.h>

static const char *change_of(uint32_t feature, uint32_t now)
{
	if (now & feature)
		return f2fs_features_changeable(0) & feature ? "can be turned off" : "stays";
	return f2fs_features_changeable(1) & feature ? "can be turned on" : "by mkfs.f2fs only";
}

void cli_print_features(struct cli_print *out, uint32_t now)
{
	static const struct cli_column columns[] = { { "feature", -22 }, { "on", -6 }, { "change", -18 },
						     { "meaning", -1 } };
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	cli_print_begin_table(out, "features", columns, 4);
	for (unsigned i = 0; i < count; i++) {
		cli_print_begin(out, NULL);
		cli_print_string(out, "name", flags[i].name);
		cli_print_bool(out, "on", (now & flags[i].mask) != 0);
		cli_print_string(out, "change", change_of(flags[i].mask, now));
		cli_print_string(out, "meaning", flags[i].doc);
		cli_print_end(out);
	}
	cli_print_end_array(out);
}
