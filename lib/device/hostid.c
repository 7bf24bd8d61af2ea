/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the files of the host that a context has open as devices. A loop device counts as its file.
 */
#include "device/file.h"
#include "device/hostid.h"
#include "device/inuse.h"

static bool is_of(const struct hostfile *file, const struct stat *st)
{
	if (file->is_block || S_ISBLK(st->st_mode))
		return file->is_block && S_ISBLK(st->st_mode) && file->number == (uint64_t)st->st_rdev;
	return file->number == (uint64_t)st->st_ino && file->host_device == (uint64_t)st->st_dev;
}

bool hostfile_is_open(const struct f2fs_context *ctx, const struct stat *st)
{
	const struct hostfile *file = ctx->hostfiles;
	struct stat end = *st;

	inuse_behind(&inuse_here, &end);
	while (file && !is_of(file, &end))
		file = file->next;
	return file != NULL;
}

int f2fs_device_is_open(const struct f2fs_context *ctx, int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && hostfile_is_open(ctx, &st);
}

void hostfile_enter(struct hostfile *file)
{
	struct stat st;

	if (fstat(file->fd, &st) == 0) {
		inuse_behind(&inuse_here, &st);
		file->is_block = S_ISBLK(st.st_mode);
		file->host_device = (uint64_t)st.st_dev;
		file->number = file->is_block ? (uint64_t)st.st_rdev : (uint64_t)st.st_ino;
	}
	file->next = file->ctx->hostfiles;
	file->ctx->hostfiles = file;
}

void hostfile_leave(struct hostfile *file)
{
	struct hostfile **at = &file->ctx->hostfiles;

	while (*at != file)
		at = &(*at)->next;
	*at = file->next;
}
