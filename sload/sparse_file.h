/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse images (-S): changed beside the file, then written as a new one that takes its place.
 */
#ifndef F2FSKIT_SLOAD_SPARSE_FILE_H
#define F2FSKIT_SLOAD_SPARSE_FILE_H

#include <f2fskit/volume.h>

#include "cli/host.h"

struct sload_sparse {
	const char *path;
	struct f2fs_device *device;
	struct f2fs_volume *volume;
};

/* Open the volume in a sparse file; its changes go to memory and a temporary file. -1 after a message. */
int sload_sparse_open(struct sload_sparse *s, struct cli *cli, struct f2fs_context *ctx, const char *path);
/* Write what the volume is now in place of the file. -1 after a message; the file is then as it was. */
int sload_sparse_save(struct sload_sparse *s, struct cli *cli, struct f2fs_context *ctx);
void sload_sparse_close(struct sload_sparse *s);

#endif
