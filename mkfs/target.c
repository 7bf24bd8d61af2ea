/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open and prepare the devices of a new volume.
 */
#include "target.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sparse_output.h"
#include "signature.h"

#define SUPERBLOCKS_END (2u * 16384) /* bytes */

static int refuse(struct cli *cli, const char *path, const char *why)
{
	cli_error(cli, "%s: %s", path, why);
	return -1;
}

/* The device layer's messages name the path. */
static int fail(struct cli *cli, struct f2fs_context *ctx)
{
	cli_error_of(cli, ctx, NULL);
	return -1;
}

/* Bytes asked for, 0 if none; sectors are those of -w, or of the device. */
static int wanted_size(const struct target *t, struct cli *cli, const struct arguments *a, uint32_t device_sector,
		       uint64_t *size)
{
	uint64_t sector = a->unit ? a->unit : device_sector;

	*size = a->size;
	if (a->has_sectors)
		*size = a->sectors * sector;
	if ((a->has_sectors || a->has_size) && *size == 0)
		return refuse(cli, t->path, "the size is 0");
	if (a->room && *size > a->room) {
		cli_error(cli, "%s: the size is larger than the partition, which has %llu bytes", t->path,
			  (unsigned long long)a->room);
		return -1;
	}
	if (*size == 0)
		*size = a->room;
	if (*size > INT64_MAX - a->offset || a->offset > INT64_MAX)
		return refuse(cli, t->path, "the size is too large");
	return 0;
}

/* Stand in for a file that does not exist yet. Only written blocks take memory. */
static int open_stand_in(struct target *t, struct cli *cli, struct f2fs_context *ctx, uint64_t size)
{
	return f2fs_device_open_memory(ctx, size, &t->device) ? fail(cli, ctx) : 0;
}

/* Let the device be the part of it that begins at offset. */
static int cut_offset(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct f2fs_device *slice;

	if (a->offset == 0)
		return 0;
	if (a->offset >= f2fs_device_info(t->device)->size)
		return refuse(cli, t->path, "the offset is past the end");
	if (f2fs_device_open_slice(t->device, a->offset, t->size, &slice))
		return fail(cli, ctx);
	f2fs_device_close(t->device);
	t->device = slice;
	return 0;
}

static int look_for_signatures(struct target *t, struct cli *cli, struct f2fs_context *ctx,
			       const struct arguments *a, uint64_t size)
{
	struct f2fs_signature found = { F2FS_SIZED(f2fs_signature) };
	struct f2fs_device *slice;
	int rc;

	if (size == 0)
		return 0;
	if (f2fs_device_open_slice(t->device, a->offset, size, &slice))
		return fail(cli, ctx);
	rc = f2fs_device_signature(slice, &found);
	f2fs_device_close(slice);
	if (rc == F2FS_ERR_NOT_FOUND)
		return 0;
	if (rc)
		return fail(cli, ctx);
	t->has_signatures = 1;
	if (a->force)
		return 0;
	if (a->dry_run) {
		cli_warning(cli, "%s has %s: -f will be needed to overwrite it", t->path, found.what);
		return 0;
	}
	cli_error(cli, "%s has %s; use -f to overwrite it", t->path, found.what);
	return -1;
}

/* The partitions of a disk stay: a volume within it ends where its own does. */
static int keep_neighbours(struct target *t, struct cli *cli, const struct arguments *a)
{
	uint64_t end;
	int is_inside;

	if (!a->offset || signature_limit(cli, t->path, a->offset, &end, &is_inside))
		return a->offset ? -1 : 0;
	if (is_inside && !a->force) {
		cli_error(cli, "%s: a partition begins before the offset and holds it; use -f to overwrite it",
			  t->path);
		return -1;
	}
	if (end == UINT64_MAX || (t->size && t->size <= end - a->offset))
		return 0;
	if (!t->size) {
		t->size = end - a->offset;
		return 0;
	}
	if (a->force)
		return 0;
	cli_error(cli,
		  "%s: the volume would end at byte %llu, and the partition table has room for it up to %llu; use -f "
		  "to overwrite what follows",
		  t->path, (unsigned long long)(a->offset + t->size), (unsigned long long)end);
	return -1;
}

/* A file that is too small for the volume is no image yet: its contents are something else, unless they are zeros. */
static int look_for_contents(const struct target *t, struct cli *cli, struct f2fs_context *ctx,
			     const struct arguments *a, uint64_t size)
{
	enum { PIECE = 65536, MOST = 1 << 20 };
	static uint8_t piece[PIECE];

	for (uint64_t at = 0; at < size && at < MOST; at += PIECE) {
		const size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		if (f2fs_device_read(t->device, at, piece, n))
			return fail(cli, ctx);
		if (piece[0] == 0 && !memcmp(piece, piece + 1, n - 1))
			continue;
		if (a->dry_run) {
			cli_warning(cli, "%s is a file with contents, and too small for the volume: -f will be needed",
				    t->path);
			return 0;
		}
		cli_error(cli, "%s is a file with contents, and too small for the volume; use -f to overwrite it",
			  t->path);
		return -1;
	}
	return 0;
}

/* A file or device that is there. */
static int open_existing(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
			 unsigned i)
{
	unsigned flags = (a->dry_run ? F2FS_OPEN_READ : F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE) |
			 (a->no_lock ? F2FS_OPEN_NO_LOCK : 0);
	const struct f2fs_device_info *info;
	uint64_t size, there;

	if (f2fs_device_open(ctx, t->path, flags, &t->device))
		return fail(cli, ctx);
	info = f2fs_device_info(t->device);
	there = info->size > a->offset ? info->size - a->offset : 0;
	if (i == 0 && wanted_size(t, cli, a, info->sector_size, &size))
		return -1;
	t->size = i == 0 ? size : 0;
	if (i == 0 && !a->room && keep_neighbours(t, cli, a))
		return -1;
	if (!a->aliases[i] && look_for_signatures(t, cli, ctx, a, t->size && t->size < there ? t->size : there))
		return -1;
	if (t->size <= there)
		return 0;
	if (info->caps & F2FS_DEVICE_BLOCK)
		return refuse(cli, t->path, "the size is larger than the device");
	if (!a->force && !t->has_signatures && look_for_contents(t, cli, ctx, a, info->size))
		return -1;
	t->new_file_size = a->offset + t->size;
	t->found = t->device; /* nobody shall put anything there from now on */
	t->device = NULL;
	return open_stand_in(t, cli, ctx, t->new_file_size);
}

static int open_missing(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a,
			unsigned i)
{
	if (i > 0)
		return refuse(cli, t->path, strerror(ENOENT));
	if (wanted_size(t, cli, a, 512, &t->size))
		return -1;
	if (t->size == 0)
		return refuse(cli, t->path, "does not exist; give a size to create it");
	t->is_new = 1;
	t->new_file_size = a->offset + t->size;
	return open_stand_in(t, cli, ctx, t->new_file_size);
}

/* Check the file that the image will replace. It is written after the volume is made. */
static int open_sparse(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct stat st;
	int exists = stat(t->path, &st) == 0;

	if (a->count > 1 || a->offset)
		return refuse(cli, t->path, "a sparse image is of one device, from its start");
	if (exists && !S_ISREG(st.st_mode))
		return refuse(cli, t->path, "is not a file that a sparse image could be written to");
	if (exists && !a->force && !a->dry_run)
		return refuse(cli, t->path, "exists; use -f to overwrite it");
	if (exists && !a->dry_run && !a->no_lock &&
	    f2fs_device_open(ctx, t->path, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &t->found))
		return fail(cli, ctx); /* it is written over in the end, and nobody else shall write it meanwhile */
	return sparse_output_new(ctx, a->sparse, &t->device) ? fail(cli, ctx) : 0;
}

/* Is a file where the contents come from? */
static int is_source(const struct arguments *a, const struct stat *st)
{
	struct stat source;

	return a->in.source && stat(a->in.source, &source) == 0 && S_ISREG(source.st_mode) &&
	       source.st_dev == st->st_dev && source.st_ino == st->st_ino;
}

/* Note which file or device targets[i] is; those before it must be others. */
static int identify(struct target *targets, unsigned i, struct cli *cli, const struct stat *st)
{
	int is_block = S_ISBLK(st->st_mode);
	struct target *t = &targets[i];

	t->id[0] = (uint64_t)(is_block ? st->st_rdev : st->st_dev);
	t->id[1] = is_block ? UINT64_MAX : (uint64_t)st->st_ino;
	for (unsigned j = 0; j < i; j++)
		if (targets[j].id[0] == t->id[0] && targets[j].id[1] == t->id[1])
			return refuse(cli, t->path, "is given twice");
	return 0;
}

int target_open(struct target *targets, unsigned i, struct cli *cli, struct f2fs_context *ctx,
		const struct arguments *a)
{
	struct target *t = &targets[i];
	struct stat st;
	int rc;

	memset(t, 0, sizeof(*t));
	t->path = a->paths[i];
	if (stat(t->path, &st) == 0 && is_source(a, &st))
		return refuse(cli, t->path, "is the source of the volume's contents");
	if (a->sparse)
		return open_sparse(t, cli, ctx, a);
	if (stat(t->path, &st) == 0)
		rc = identify(targets, i, cli, &st) ? -1 : open_existing(t, cli, ctx, a, i);
	else if (errno == ENOENT)
		rc = open_missing(t, cli, ctx, a, i);
	else
		rc = refuse(cli, t->path, strerror(errno));
	return rc ? rc : cut_offset(t, cli, ctx, a);
}

int target_prepare(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a)
{
	struct f2fs_device *dev;

	if (t->new_file_size) {
		unsigned flags = F2FS_OPEN_EXCLUSIVE | (t->is_new ? 0 : F2FS_OPEN_CREATE) |
				 (a->no_lock || t->found ? F2FS_OPEN_NO_LOCK : 0);

		if (f2fs_device_create(ctx, t->path, t->new_file_size, flags, &dev))
			return fail(cli, ctx);
		t->is_created = t->is_new;
		f2fs_device_close(t->device);
		t->device = dev;
		if (cut_offset(t, cli, ctx, a))
			return -1;
	}
	if (!t->has_signatures)
		return 0;
	return signature_wipe(cli, t->path, a->offset, f2fs_device_info(t->device)->size);
}

/* Overwrite the superblocks. They are in the first two blocks, of 16 KiB at most, and the main area begins far after
 * them. */
int target_unmake(const struct target *t)
{
	int rc = f2fs_device_zero(t->device, 0, SUPERBLOCKS_END);

	return rc ? rc : f2fs_device_flush(t->device);
}

int target_cut(const struct target *t, struct cli *cli, const struct arguments *a)
{
	const uint64_t size = a->offset + a->size;
	struct stat st;

	if (a->sparse || a->room || stat(t->path, &st) != 0 || !S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size <= size)
		return 0;
	return truncate(t->path, (off_t)size) ? refuse(cli, t->path, strerror(errno)) : 0;
}

void target_close(struct target *t, int is_made)
{
	if (t->is_created && !is_made)
		unlink(t->path); /* while it is locked: then another program may make a new one */
	f2fs_device_close(t->device);
	f2fs_device_close(t->found);
	t->device = t->found = NULL;
}
