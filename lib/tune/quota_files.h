/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn quota on and off on a volume with files.
 */
#ifndef F2FSKIT_TUNE_QUOTA_FILES_H
#define F2FSKIT_TUNE_QUOTA_FILES_H

#include "volume/volume.h"

/* Bits of kinds: 1 << enum quota_type. */

/*
 * Make the quota files of some kinds, which the superblock does not name, with the usage of all inodes, then name them
 * and turn features on. Files that are left of an interrupted change are removed.
 */
int quota_files_on(struct f2fs_volume *vol, unsigned kinds, uint32_t features);
/* Turn features off and name no files of some kinds any more, then remove the files. */
int quota_files_off(struct f2fs_volume *vol, unsigned kinds, uint32_t features);

#endif
