/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The table of features.
 */
#include "cli/feature_table.h"

#include <f2fskit/format.h>
#include <f2fskit/label.h>

#include "cli/feature_list.h"

/* Can it go? ro stays where mkfs made the volume with it. Files decide about others, and are not looked at. */
static int can_go(struct f2fs_volume *vol, uint32_t feature)
{
	const struct f2fs_features_options o = { F2FS_SIZED(f2fs_features_options), .off = feature, .dry_run = 1 };

	return (f2fs_features_changeable(0) & feature) &&
	       (feature != F2FS_FEAT_RO || f2fs_volume_set_features(vol, &o, NULL) == 0);
}

static const char *change_of(struct f2fs_volume *vol, uint32_t feature, uint32_t now)
{
	if (feature == F2FS_FEAT_PACKED_SSA && f2fs_volume_geometry(vol)->block_size == 4096)
		return "for 16 KiB blocks";
	if (now & feature)
		return can_go(vol, feature) ? "can be turned off" : "stays";
	return f2fs_features_changeable(1) & feature ? "can be turned on" : "by mkfs.f2fs only";
}

static void print_row(struct cli_print *out, const char *name, int on, const char *change, const char *meaning)
{
	cli_print_begin(out, NULL);
	cli_print_string(out, "name", name);
	cli_print_bool(out, "on", on);
	cli_print_string(out, "change", change);
	cli_print_string(out, "meaning", meaning);
	cli_print_end(out);
}

/* The flag of the checkpoint: can it change? Its bitmaps may have no room. */
static void print_large_nat(struct cli_print *out, struct f2fs_volume *vol)
{
	struct f2fs_features_options o = { F2FS_SIZED(f2fs_features_options), .dry_run = 1 };
	struct f2fs_features_result now = { F2FS_SIZED(f2fs_features_result) };
	int rc = f2fs_volume_set_features(vol, &o, &now);
	const int on = now.large_nat_before;

	o.large_nat = on ? F2FS_LARGE_NAT_OFF : F2FS_LARGE_NAT_ON;
	rc = rc ? rc : f2fs_volume_set_features(vol, &o, NULL);
	print_row(out, CLI_LARGE_NAT, on, rc ? "stays" : on ? "can be turned off" : "can be turned on",
		  "checkpoint flag: room for more node ids");
}

void cli_print_features(struct cli_print *out, struct f2fs_volume *vol)
{
	const uint32_t now = f2fs_volume_geometry(vol)->feature;
	static const struct cli_column columns[] = { { "feature", -22 }, { "on", -6 }, { "change", -18 },
						     { "meaning", -1 } };
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	cli_print_begin_table(out, "features", columns, 4);
	for (unsigned i = 0; i < count; i++)
		print_row(out, flags[i].name, (now & flags[i].mask) != 0, change_of(vol, flags[i].mask, now),
			  flags[i].doc);
	print_large_nat(out, vol);
	cli_print_end_array(out);
}
