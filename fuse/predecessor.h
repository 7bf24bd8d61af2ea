/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Mounting again: umount(8) returns before the program of the mount has written its last checkpoint.
 */
#ifndef F2FSKIT_FUSE_PREDECESSOR_H
#define F2FSKIT_FUSE_PREDECESSOR_H

#include "cli/image.h"

/*
 * Wait for a program of this kind that has the image and is about to end. If another has it, opening the image reports
 * that.
 */
void predecessor_wait(struct f2fs_context *ctx, const struct cli_image *image);

#endif
