/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open an image by path, whatever it is packed in: parts of a split file, a container of evidence or of a virtual
 * machine, a zstd file, an Android sparse file.
 */
#include "base/error.h"
#include "device/container.h"
#include "device/open.h"
#include "device/sparse.h"
#include "device/split_raw.h"
#include "device/split_sparse.h"
#include "device/zstd_read.h"

/* Give the contents of a packed file, which is closed with them. */
static int open_packed(struct f2fs_device *file, unsigned flags, struct f2fs_device **out)
{
	const bool is_sparse = sparse_is(file);
	int rc;

	if ((flags & F2FS_OPEN_WRITE) && is_sparse)
		rc = error_set(file->ctx, F2FS_ERR_READ_ONLY,
			       "%s is an Android sparse file, which can only be read; unpack it to change it, or use "
			       "the programs, which write a new one",
			       file->name);
	else if (flags & F2FS_OPEN_WRITE)
		rc = error_set(file->ctx, F2FS_ERR_UNSUPPORTED,
			       "%s is a compressed image, which can only be read; restore it to change it", file->name);
	else
		rc = is_sparse ? sparse_make(file, out) : zstd_make(file, out);
	f2fs_device_close(file);
	return rc;
}

int f2fs_device_open_image(struct f2fs_context *ctx, const char *path, unsigned flags, struct f2fs_device **out)
{
	struct f2fs_device *file;
	int rc;

	error_clear(ctx);
	rc = device_open_host(ctx, path, flags, &file);
	if (rc == 0)
		rc = split_raw_join(&file, path, flags);
	if (rc != 0)
		return rc;
	rc = container_make(file, path, flags, out);
	if (rc != CONTAINER_NONE) {
		f2fs_device_close(file);
		return rc;
	}
	if (zstd_is_seekable(file)) {
		rc = open_packed(file, flags, &file);
		if (rc != 0)
			return rc;
	}
	if (!sparse_is(file)) {
		*out = file;
		return 0;
	}
	rc = split_sparse_join(&file, path, flags);
	if (rc != SPLIT_SPARSE_SINGLE)
		*out = file;
	return rc != SPLIT_SPARSE_SINGLE ? rc : open_packed(file, flags, out);
}
