/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rewrite the contents of many files.
 */
#ifndef F2FSKIT_TUNE_RECOMPRESS_H
#define F2FSKIT_TUNE_RECOMPRESS_H

#include "volume/volume.h"

/*
 * Rewrite files, so that their inodes get extra attributes of full size. *changed: how many. Others have no room beside
 * their old form, or cannot be read.
 */
int recompress_widen(struct f2fs_volume *vol, const f2fs_nid_t *inos, size_t count, uint64_t *changed);

#endif
