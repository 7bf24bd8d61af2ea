/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing images: compressed, as an Android sparse file, or as a plain file with holes. A file that could not be
 * finished is taken away, so that no half image is taken for a whole one.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dump/save_image.h"

enum { PIECE = 1 << 20, HOLE = 4096 };

enum image_form image_form_of(const char *name)
{
	static const char *const names[] = { [FORM_ZSTD] = "zstd", [FORM_SPARSE] = "sparse", [FORM_RAW] = "raw" };

	for (int i = FORM_ZSTD; i <= FORM_RAW; i++)
		if (!strcmp(name, names[i]))
			return (enum image_form)i;
	return FORM_DEFAULT;
}

static int is_zero(const char *bytes, size_t length)
{
	return bytes[0] == 0 && memcmp(bytes, bytes + 1, length - 1) == 0;
}

/* Write a piece at the file's position. Zeros stay holes. */
static int write_piece(int fd, const char *bytes, size_t length)
{
	for (size_t at = 0, n; at < length; at += n) {
		n = length - at < HOLE ? length - at : HOLE;
		if (is_zero(bytes + at, n)) {
			if (lseek(fd, (off_t)n, SEEK_CUR) < 0)
				return F2FS_SYS_ERROR(errno);
			continue;
		}
		while (at + n < length && !is_zero(bytes + at + n, length - at - n < HOLE ? length - at - n : HOLE))
			n += length - at - n < HOLE ? length - at - n : HOLE;
		if (cli_write_fd(&fd, bytes + at, n))
			return F2FS_SYS_ERROR(errno);
	}
	return 0;
}

/* Copy the data among the bytes of the device, in order. */
static int save_raw(struct f2fs_context *ctx, struct f2fs_device *dev, int fd)
{
	const uint64_t size = f2fs_device_info(dev)->size;
	char *buffer = malloc(PIECE);
	uint64_t at = 0, length = 0;
	int rc = buffer ? 0 : f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "out of memory"), is_hole = 0;

	if (!rc && ftruncate(fd, (off_t)size))
		rc = F2FS_SYS_ERROR(errno);
	for (; !rc && at < size; at += length) {
		rc = f2fs_device_extent(dev, at, &length, &is_hole);
		if (rc || is_hole)
			continue;
		length = length < PIECE ? length : PIECE;
		rc = f2fs_device_read(dev, at, buffer, (size_t)length);
		if (!rc && lseek(fd, (off_t)at, SEEK_SET) < 0)
			rc = F2FS_SYS_ERROR(errno);
		if (!rc)
			rc = write_piece(fd, buffer, (size_t)length);
		if (!rc && cli_stopped())
			rc = f2fs_context_fail(ctx, F2FS_ERR_CANCELED, "stopped");
	}
	free(buffer);
	return rc;
}

static int save_as(struct dump *d, struct f2fs_device *dev, int fd, enum image_form form, const char *note)
{
	switch (form) {
	case FORM_SPARSE:
		return f2fs_device_save_sparse(dev, 0, cli_write_fd, &fd);
	case FORM_RAW:
		return save_raw(d->ctx, dev, fd);
	default:
		return f2fs_device_save_zstd(dev, 0, 0, note, cli_write_fd, &fd);
	}
}

int save_image(struct dump *d, struct f2fs_device *dev, const char *path, enum image_form form, const char *note)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666), rc;

	if (fd < 0) {
		cli_error(&d->cli, "%s: %s", path, strerror(errno));
		d->status |= DUMP_FAILED;
		return F2FS_ERR_IO;
	}
	rc = save_as(d, dev, fd, form, note);
	if (rc < F2FS_SYS_ERROR(0))
		rc = f2fs_context_fail(d->ctx, F2FS_ERR_IO, strerror(F2FS_SYS_ERROR(0) - rc));
	if (!rc && fsync(fd) != 0 && errno != EINVAL)
		rc = f2fs_context_fail(d->ctx, F2FS_ERR_IO, strerror(errno));
	if (close(fd) != 0 && !rc)
		rc = f2fs_context_fail(d->ctx, F2FS_ERR_IO, strerror(errno));
	if (rc) {
		cli_error_of(&d->cli, d->ctx, path);
		d->status |= DUMP_FAILED;
		unlink(path);
	}
	return rc;
}
