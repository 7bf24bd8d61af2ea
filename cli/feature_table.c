/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of features.
 */
#include "cli/feature_table.h"

#include <f2fskit/format.h>
#include <f2fskit/label.h>

/* Can it go? ro stays where mkfs made the volume with it. Files decide about others, and are not looked at. */
static int can_go(struct f2fs_volume *vol, uint32_t feature)
{
	const struct f2fs_features_options o = { F2FS_SIZED(f2fs_features_options), .off = feature, .dry_run = 1 };

	return (f2fs_features_changeable(0) & feature) &&
	       (feature != F2FS_FEAT_RO || f2fs_volume_set_features(vol, &o, NULL) == 0);
}

static const char *change_of(struct f2fs_volume *vol, uint32_t feature, uint32_t now)
{
	if (now & feature)
		return can_go(vol, feature) ? "can be turned off" : "stays";
	return f2fs_features_changeable(1) & feature ? "can be turned on" : "by mkfs.f2fs only";
}

void cli_print_features(struct cli_print *out, struct f2fs_volume *vol)
{
	const uint32_t now = f2fs_volume_geometry(vol)->feature;
	static const struct cli_column columns[] = { { "feature", -22 }, { "on", -6 }, { "change", -18 },
						     { "meaning", -1 } };
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	cli_print_begin_table(out, "features", columns, 4);
	for (unsigned i = 0; i < count; i++) {
		cli_print_begin(out, NULL);
		cli_print_string(out, "name", flags[i].name);
		cli_print_bool(out, "on", (now & flags[i].mask) != 0);
		cli_print_string(out, "change", change_of(vol, flags[i].mask, now));
		cli_print_string(out, "meaning", flags[i].doc);
		cli_print_end(out);
	}
	cli_print_end_array(out);
}
