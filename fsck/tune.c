/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Changes of the superblock that f2fs-tools have among the options of their checker. They come last: a volume that is
 * damaged, or that may not be written, is left as it is.
 */
#include "tune.h"

#include <f2fskit/format.h>
#include <f2fskit/label.h>
#include <stdio.h>
#include <string.h>

#include "cli/exit.h"

static int is_asked(const struct arguments *a)
{
	return a->features || a->hash_only != FSCK_KEEP;
}

static void say_features(uint32_t added)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("feature", &count);

	for (unsigned i = 0; i < count; i++)
		if (flags[i].mask & added)
			printf("Info: feature %s is turned on\n", flags[i].name);
}

/* Without casefolding there is nothing to choose, and that is no failure. */
static int change_lookup(const struct arguments *a, struct f2fs_volume *vol)
{
	const int has_casefold = (f2fs_volume_geometry(vol)->feature & F2FS_FEAT_CASEFOLD) != 0;

	if (!a->is_json && !a->is_quiet) {
		printf("Info: linear_lookup option: %s\n", a->hash_only == FSCK_ON ? "disable" : "enable");
		if (!has_casefold)
			puts("Info: the volume does not have the feature casefold: nothing to change");
	}
	return has_casefold ? f2fs_volume_set_hash_only(vol, a->hash_only == FSCK_ON) : 0;
}

static int change(struct session *s, struct f2fs_volume *vol)
{
	const struct arguments *a = s->arguments;
	const uint32_t before = f2fs_volume_geometry(vol)->feature;
	int rc = 0;

	if (a->features)
		rc = f2fs_volume_add_features(vol, a->features, a->encoding.flags);
	if (!rc && a->hash_only != FSCK_KEEP)
		rc = change_lookup(a, vol);
	if (!rc && !a->is_json && !a->is_quiet)
		say_features(f2fs_volume_geometry(vol)->feature & ~before);
	return rc;
}

int session_tune(struct session *s, int is_sound)
{
	struct f2fs_volume *vol;
	int rc;

	if (!is_asked(s->arguments))
		return CLI_EXIT_OK;
	if (s->answer == FSCK_NO) {
		cli_warning(s->cli, "nothing is written: features stay as they are");
		return CLI_EXIT_OK;
	}
	if (!is_sound) {
		cli_warning(s->cli, "the volume still has problems: features stay as they are");
		return CLI_EXIT_OK;
	}
	rc = session_volume(s, &vol);
	if (!rc) {
		rc = change(s, vol);
		f2fs_volume_close(vol);
	}
	if (rc)
		cli_error_of(s->cli, s->ctx, s->arguments->image.path);
	return rc ? CLI_EXIT_OPERATIONAL : CLI_EXIT_OK;
}
