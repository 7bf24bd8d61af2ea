/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a file longer, or a volume smaller. A file only grows after a repair has dropped everything past its end: the
 * new space holds zeros, which must not count as contents.
 */
#include "short_device.h"

#include <errno.h>
#include <f2fskit/check.h>
#include <f2fskit/resize.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/repaired.h"

static int is_silent(const struct session *s)
{
	return s->arguments->is_quiet || s->arguments->is_json;
}

/* Report a repair that is none of the check's. */
static void tell_fix(const struct session *s, const char *fix)
{
	const struct f2fs_problem_info *info = f2fs_problem_find("DEVICE_SHORT");

	if (!is_silent(s))
		printf("[FIX] (%s: P%u)  --> %s\n", info->name, info->id, fix);
}

int short_device_gives_up(const struct arguments *a)
{
	return !a->is_asking && a->only.count == 0 && a->except.count == 0;
}

static int has_areas(struct session *s, const struct short_device *d)
{
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	int has;

	if (session_volume(s, &vol))
		return 0;
	geo = f2fs_volume_geometry(vol);
	has = d->has / geo->block_size > geo->main_blkaddr;
	f2fs_volume_close(vol);
	return has;
}

void short_device_note(struct session *s, struct short_device *d, uint64_t has, uint64_t needs)
{
	if (needs == 0 || d->is_repaired || d->needs)
		return;
	d->has = has;
	d->needs = needs;
	d->has_areas = has_areas(s, d);
}

int short_device_is_file(struct session *s)
{
	struct stat st;

	return !s->opened.sparse && !s->opened.is_partition && cli_image_complete(&s->opened) == 0 &&
	       s->opened.options.device_count == 0 &&
	       stat(s->arguments->image.path, &st) == 0 && S_ISREG(st.st_mode);
}

int short_device_may_grow(struct session *s, const struct short_device *d)
{
	return !d->must_shrink && short_device_is_file(s);
}

int short_device_must_fit(const struct session *s, const struct short_device *d)
{
	return d->needs > 0 && d->has_areas && s->answer != FSCK_NO && short_device_gives_up(s->arguments);
}

uint64_t short_device_cut(const struct session *s, const struct short_device *d)
{
	if (!short_device_gives_up(s->arguments) || d->is_repaired)
		return 0;
	return d->is_longer ? d->has : UINT64_MAX;
}

/* What only looks has a file in memory that is as long as a repair would make it. */
int short_device_rehearse(struct session *s, struct short_device *d)
{
	const uint64_t size = f2fs_device_info(s->opened.device)->size, offset = s->opened.options.offset;
	uint64_t needs;

	if (!short_device_gives_up(s->arguments) || (s->answer != FSCK_NO && s->answer != FSCK_DRY_RUN))
		return 0;
	needs = session_lacks(s);
	if (needs == 0 || !short_device_is_file(s))
		return 0;
	short_device_note(s, d, size - offset, needs);
	if (!d->has_areas)
		return 0;
	if (cli_lengthen(&s->opened, offset + needs)) {
		cli_error_of(s->cli, s->ctx, s->arguments->image.path);
		return -1;
	}
	d->is_longer = 1;
	return 0;
}

int short_device_says_why(const struct session *s, const struct short_device *d)
{
	if (d->needs == 0 || d->is_repaired)
		return 0;
	if (!d->has_areas)
		puts("Info: the image ends before the main area: no file is in it, so nothing is repaired");
	else if (!short_device_gives_up(s->arguments) && s->answer != FSCK_NO)
		puts("Info: the end of the image is missing: nothing is repaired with --ask, --only or --except (-y "
		     "drops everything past the end)");
	else
		return 0;
	return 1;
}

/* Write a block as it is: a recording in which nothing was saved would be removed. */
static int touch(struct f2fs_device *dev)
{
	uint8_t block[4096];
	struct f2fs_iovec iov = { block, sizeof(block) };
	int rc = f2fs_device_readv(dev, 0, &iov, 1);

	return rc ? rc : f2fs_device_writev(dev, 0, &iov, 1);
}

/* Let a recording of the first bytes of a device take its place, whose reference is taken over when that works. */
static int record_part(struct f2fs_context *ctx, struct f2fs_device **dev, uint64_t bytes, const char *path)
{
	const uint64_t rest = f2fs_device_info(*dev)->size - bytes;
	struct f2fs_device *part, *layer = NULL, *whole = NULL;
	int rc = f2fs_device_open_slice(*dev, 0, bytes, &part);

	if (rc)
		return rc;
	rc = f2fs_undo_record(&part, 1, path, &layer);
	if (!rc)
		rc = touch(layer);
	if (!rc) {
		const struct f2fs_device_part parts[] = { { layer, 0, bytes }, { *dev, bytes, rest } };

		rc = f2fs_device_open_multi(ctx, parts, 2, &whole);
	}
	f2fs_device_close(layer);
	f2fs_device_close(part);
	if (rc)
		return rc;
	f2fs_device_close(*dev);
	*dev = whole;
	return 0;
}

/*
 * The recorded file was shorter. A recording with contents was closed after a repair, so nothing follows.
 */
static int record_again(struct session *s, const struct short_device *d)
{
	const struct arguments *a = s->arguments;
	int rc;

	if (!a->undo || (d->is_repaired && access(a->undo, F_OK) == 0))
		return 0;
	rc = record_part(s->ctx, &s->opened.device, a->image.offset + d->has, a->undo);
	if (rc)
		cli_error_of(s->cli, s->ctx, a->undo);
	return rc;
}

int short_device_grow(struct session *s, struct short_device *d)
{
	const struct arguments *a = s->arguments;
	const uint64_t length = a->image.offset + d->needs;

	session_close(s);
	if (truncate(a->image.path, (off_t)length) != 0) {
		cli_error(s->cli, "%s: its length cannot become %llu bytes: %s", a->image.path,
			  (unsigned long long)length, strerror(errno));
		return -1;
	}
	d->is_longer = 1;
	if (!is_silent(s))
		printf("Info: %s is %llu bytes long again\n", a->image.path, (unsigned long long)length);
	return session_reopen(s) || record_again(s, d) ? -1 : 0;
}

/* Make the volume as small as its device. Returns 0, or -1 after a message. */
static int shrink(struct session *s, const struct short_device *d)
{
	const struct arguments *a = s->arguments;
	struct f2fs_resize_result result = { F2FS_SIZED(f2fs_resize_result) };

	if (f2fs_resize(s->ctx, s->opened.device, &s->opened.options, NULL, &result)) {
		cli_error(s->cli, "%s: the volume cannot become as small as its device: %s", a->image.path,
			  f2fs_context_error(s->ctx)->message);
		return -1;
	}
	tell_fix(s, "make the volume as small as its device");
	if (!is_silent(s))
		printf("Info: the volume takes %llu bytes now, of %llu\n", (unsigned long long)result.new_bytes,
		       (unsigned long long)d->has);
	return 0;
}

int short_device_fit(struct session *s, struct short_device *d)
{
	d->is_repaired = 1;
	if (!d->is_longer && !short_device_may_grow(s, d))
		return shrink(s, d);
	if (!d->is_longer && short_device_grow(s, d))
		return -1;
	tell_fix(s, "make the file as long as its volume");
	if (s->answer == FSCK_DRY_RUN && !is_silent(s))
		printf("Info: %s would be %llu bytes long again\n", s->arguments->image.path,
		       (unsigned long long)(s->arguments->image.offset + d->needs));
	return 0;
}
