/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse images that are changed: beside the file, then written as a new one that takes its place.
 */
#ifndef F2FSKIT_CLI_SPARSE_IMAGE_H
#define F2FSKIT_CLI_SPARSE_IMAGE_H

#include <f2fskit/device.h>

#include "cli/host.h"

struct sparse_image;

/* Open a sparse file for writing, with the flags of f2fs_device_open(); changes go to memory and a temporary file. The
 * context has the error. */
int sparse_image_open(struct f2fs_context *ctx, const char *path, unsigned flags, struct sparse_image **out);
/* Its contents; a device for which the caller has to close a reference of its own. */
struct f2fs_device *sparse_image_device(struct sparse_image *image);
/* Make it longer or shorter, for its device, too: open references to that device keep the old length. The context has
 * the error. */
int sparse_image_set_length(struct sparse_image *image, uint64_t length);
/* Replace the file by the present contents, if they changed since it was opened or saved. Returns -1 after a message;
 * the file is then unchanged. */
int sparse_image_save(struct sparse_image *image, struct cli *cli);
/* Drop unsaved changes and close. NULL is allowed. */
void sparse_image_close(struct sparse_image *image);

#endif
