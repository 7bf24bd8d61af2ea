/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume as a source.
 */
#ifndef F2FSKIT_SOURCE_VOLUME_SOURCE_H
#define F2FSKIT_SOURCE_VOLUME_SOURCE_H

#include "source/source.h"

int source_volume_open(struct source *src, struct f2fs_volume *vol);
/* Return the inode of the current item. */
struct f2fs_inode *source_volume_inode(const struct source *src);
/* A call for that volume failed: the context of src gets its error. Returns err. */
int source_volume_error(struct source *src, int err);

#endif
