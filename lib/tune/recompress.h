/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rewrite the contents of many files.
 */
#ifndef F2FSKIT_TUNE_RECOMPRESS_H
#define F2FSKIT_TUNE_RECOMPRESS_H

#include "tune/recompress_file.h"
#include "volume/volume.h"

/*
 * Give inodes all extra attributes, or none (RESHAPE_WIDE, RESHAPE_NARROW), and move the blocks that have other slots
 * then. *changed: how many. Others have no room beside their old form.
 */
int recompress_reshape(struct f2fs_volume *vol, enum reshape reshape, const f2fs_nid_t *inos, size_t count,
		       uint64_t *changed);

#endif
