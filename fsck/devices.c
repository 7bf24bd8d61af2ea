/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open the devices for a check. A mounted volume is never opened for writing. One that is mounted read-only, or that
 * may not be written, is only checked.
 */
#include "devices.h"

#include <f2fskit/format.h>
#include <f2fskit/recover.h>
#include <f2fskit/volume.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "cli/repaired.h"

enum { READING = F2FS_OPEN_READ | F2FS_OPEN_EXCLUSIVE, WRITING = F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE };

/* Choose flags for opening the image. One that can only be read is only checked. */
static unsigned choose_flags(struct session *s, const struct cli_image *image)
{
	char why[sizeof(((struct f2fs_error_detail *)0)->message)];

	if (s->answer == FSCK_NO || s->answer == FSCK_DRY_RUN)
		return READING;
	if (cli_image_try(s->ctx, image, WRITING) == 0)
		return WRITING;
	snprintf(why, sizeof(why), "%s", f2fs_context_error(s->ctx)->message);
	if (cli_image_try(s->ctx, image, READING))
		return WRITING; /* opening then reports the error */
	cli_warning(s->cli, "%s: nothing is changed", why);
	s->answer = FSCK_NO;
	return READING;
}

/* The callback open_device: a further device gets the layer that the first one has. */
static int find_covered(void *user, const char *path, struct f2fs_device **out)
{
	struct session *s = user;
	int rc;

	rc = s->find(s->find_user, path, out);
	if (rc)
		return rc;
	rc = cli_cover(out);
	if (rc)
		f2fs_device_close(*out);
	return rc;
}

static int cover_all(struct session *s)
{
	int rc = cli_cover(&s->opened.device);

	for (unsigned i = 0; i < s->opened.options.device_count && !rc; i++)
		rc = cli_cover(&s->opened.more[i]);
	return rc;
}

/* Put the layer of --dry-run or --undo on top of the image. */
static int add_layer(struct session *s)
{
	const int is_undo = s->arguments->undo && s->answer != FSCK_NO;
	int rc;

	if (s->answer != FSCK_DRY_RUN && !is_undo)
		return 0;
	if (is_undo) {
		rc = cli_image_record(&s->opened, s->arguments->undo);
	} else {
		s->find = s->opened.options.open_device;
		s->find_user = s->opened.options.user;
		s->opened.options.open_device = find_covered;
		s->opened.options.user = s;
		rc = cover_all(s);
	}
	if (rc)
		cli_error_of(s->cli, s->ctx, is_undo ? s->arguments->undo : NULL);
	return rc;
}

int session_open(struct session *s, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct cli_image image = a->image;

	memset(s, 0, sizeof(*s));
	s->cli = cli;
	s->ctx = ctx;
	s->arguments = a;
	s->answer = a->answer;
	image.saves = 1;
	image.flags = choose_flags(s, &image);
	if (cli_image_open(cli, ctx, &image, &s->opened) || add_layer(s))
		return CLI_EXIT_OPERATIONAL;
	return 0;
}

int session_reopen(struct session *s)
{
	struct cli_image image = s->arguments->image;

	image.saves = 1;
	image.flags = WRITING;
	return cli_image_open(s->cli, s->ctx, &image, &s->opened) ? -1 : 0;
}

int session_save(struct session *s)
{
	return cli_stopped() ? 0 : cli_image_save(s->cli, &s->opened);
}

void session_close(struct session *s)
{
	cli_image_close(&s->opened);
}

int session_volume(struct session *s, struct f2fs_volume **out)
{
	return f2fs_volume_open(s->ctx, s->opened.device, &s->opened.options, out);
}

static uint64_t field(const char *structure, const uint8_t *raw, const char *name, uint32_t index)
{
	return f2fs_field_get(f2fs_field_find(f2fs_struct_find(structure), name), raw, index);
}

static int has_bytes(const uint8_t *sb, const char *name)
{
	const struct f2fs_field *f = f2fs_field_find(f2fs_struct_find("superblock"), name);
	const uint32_t n = f->count * f2fs_field_width(f);

	for (uint32_t i = 0; i < n; i++)
		if (sb[f->offset + i])
			return 1;
	return 0;
}

static uint32_t troubling_flags(void)
{
	unsigned count;
	const struct f2fs_flag *flags = f2fs_flags_find("ckpt_flags", &count);
	uint32_t mask = 0;

	for (unsigned i = 0; i < count; i++)
		if (!strcmp(flags[i].name, "error") || !strcmp(flags[i].name, "fsck") ||
		    !strcmp(flags[i].name, "disabled") || !strcmp(flags[i].name, "quota_need_fsck") ||
		    !strcmp(flags[i].name, "resizefs"))
			mask |= flags[i].mask;
	return mask;
}

/* Does the volume end past its devices? */
static int is_cut_short(const struct session *s, const struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);
	const struct cli_opened *opened = &s->opened;
	const uint64_t size = f2fs_device_info(opened->device)->size - opened->options.offset;

	/* devices that are missing or short keep a volume on several from being opened */
	return !has_bytes(f2fs_volume_superblock(vol, NULL), "devs") && size < geo->end_blkaddr * geo->block_size;
}

uint64_t session_lacks(struct session *s)
{
	const struct f2fs_geometry *geo;
	struct f2fs_volume *vol;
	uint64_t needs = 0;

	if (session_volume(s, &vol))
		return 0;
	geo = f2fs_volume_geometry(vol);
	if (is_cut_short(s, vol))
		needs = geo->end_blkaddr * geo->block_size;
	f2fs_volume_close(vol);
	return needs;
}

/* With --kernel-check: was it used by another kernel last? */
static int is_other_kernel(const uint8_t *sb)
{
	const struct f2fs_field *f = f2fs_field_find(f2fs_struct_find("superblock"), "version");
	struct utsname host;
	char text[400];

	if (uname(&host))
		return 0;
	snprintf(text, sizeof(text), "%s version %s ", host.sysname, host.release);
	return strncmp((const char *)sb + f->offset, text, strlen(text)) != 0;
}

/* Does the list of unlinked inodes name a file that is in use? A mount would delete it. */
static int lists_used_file(struct f2fs_volume *vol)
{
	struct f2fs_recovery_summary summary = { F2FS_SIZED(f2fs_recovery_summary) };
	struct f2fs_recovery *plan;

	if (f2fs_orphan_count(vol) == 0)
		return 0;
	if (f2fs_recovery_open(vol, &plan))
		return 1;
	f2fs_recovery_summarize(plan, &summary);
	f2fs_recovery_close(plan);
	return summary.orphans < f2fs_orphan_count(vol);
}

int session_wants_check(struct session *s)
{
	struct f2fs_volume *vol;
	const uint8_t *sb, *cp;
	int wanted;

	if (session_volume(s, &vol))
		return 1;
	sb = f2fs_volume_superblock(vol, NULL);
	cp = f2fs_volume_checkpoint(vol, NULL, NULL);
	wanted = (field("checkpoint", cp, "ckpt_flags", 0) & troubling_flags()) != 0 ||
		 has_bytes(sb, "s_stop_reason") || has_bytes(sb, "s_errors") ||
		 f2fs_volume_superblock_state(vol, 0) != 0 || f2fs_volume_superblock_state(vol, 1) != 0 ||
		 is_cut_short(s, vol) || lists_used_file(vol) ||
		 (s->arguments->kernel_check && is_other_kernel(sb));
	f2fs_volume_close(vol);
	return wanted;
}
