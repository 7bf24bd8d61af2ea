/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * -l, -M and -t by the classic views of dump.f2fs, and the lines with which f2fs-tools begin and end.
 */
#include "listing.h"

#include <f2fskit/format.h>
#include <stdio.h>
#include <string.h>

#include "dump/classic.h"
#include "dump/views.h"
#include "lines.h"

static int (*const views[])(struct dump *, const char *) = {
	[FSCK_LAYOUT] = classic_layout,
	[FSCK_MAP] = classic_map_all,
};

static void prepare(struct dump *d, struct cli *cli, struct f2fs_volume *vol, const char *path)
{
	memset(d, 0, sizeof(*d));
	d->cli = *cli;
	d->image = path;
	d->vol = vol;
	d->ctx = f2fs_volume_context(vol);
	d->geo = f2fs_volume_geometry(d->vol);
}

int listing_run(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct cli_image image = a->image;
	struct f2fs_volume *vol;
	struct dump d;

	image.flags = F2FS_OPEN_READ;
	if (cli_open_volume(cli, ctx, &image, &vol))
		return CLI_EXIT_OPERATIONAL;
	prepare(&d, cli, vol, a->image.path);
	views[a->job](&d, NULL);
	f2fs_volume_close(vol);
	return d.status == DUMP_OK ? CLI_EXIT_OK : CLI_EXIT_UNCORRECTED;
}

/* How casefolded names are looked up, unless that is about to be changed. */
static void say_lookup(const struct arguments *a, struct f2fs_volume *vol)
{
	const struct f2fs_field *field = f2fs_field_find(f2fs_struct_find("superblock"), "s_encoding_flags");
	const uint64_t flags = f2fs_field_get(field, f2fs_volume_superblock(vol, NULL), 0);
	unsigned count;
	const struct f2fs_flag *known = f2fs_flags_find("s_encoding_flags", &count);

	for (unsigned i = 0; a->hash_only == FSCK_KEEP && i < count; i++)
		if (!strcmp(known[i].name, "hashonly"))
			printf("Info: Casefold: linear_lookup [%s]\n", flags & known[i].mask ? "disable" : "enable");
}

void listing_banner(struct cli *cli, struct session *s)
{
	struct f2fs_volume *vol;
	struct dump d;

	if (session_volume(s, &vol))
		return;
	prepare(&d, cli, vol, s->arguments->image.path);
	classic_banner(&d);
	classic_state(&d);
	say_lookup(s->arguments, vol);
	f2fs_volume_close(vol);
}

void listing_tree(struct cli *cli, struct session *s)
{
	struct f2fs_volume *vol;
	struct dump d;

	if (session_volume(s, &vol))
		return; /* the check says why */
	prepare(&d, cli, vol, s->arguments->image.path);
	classic_tree(&d, NULL);
	f2fs_volume_close(vol);
}

void listing_summary(struct session *s, const struct report *r, const struct f2fs_check_result *result)
{
	struct f2fs_volume *vol = NULL;

	if (session_volume(s, &vol))
		vol = NULL;
	classic_summary(r, result, vol);
	f2fs_volume_close(vol);
}
