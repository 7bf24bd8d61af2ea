/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn the feature ro on and off: what Linux asks of such a volume, and the commit beside the superblock.
 */
#ifndef F2FSKIT_TUNE_READ_ONLY_H
#define F2FSKIT_TUNE_READ_ONLY_H

#include "volume/volume.h"

/* Has a change of the feature stopped between its commit and the superblock? Each call continues from there. */
bool read_only_is_half(const struct f2fs_volume *vol);
/* Does the volume as a whole allow the change? Nothing is written. Fails with STATE, UNSUPPORTED. */
int read_only_judge_on(struct f2fs_volume *vol);
int read_only_judge_off(struct f2fs_volume *vol);
/* Could the commit begin now? Fails as txn_begin_locked(). */
int read_only_try(struct f2fs_volume *vol);
/* *why: what keeps Linux from reading this inode on a volume with the feature; NULL: nothing. */
int read_only_judge_inode(struct f2fs_volume *vol, f2fs_nid_t ino, const uint8_t *block, const char **why);
/* Leave the volume as after an unmount, before the superblock gets the feature: Linux then has nothing to recover. */
int read_only_prepare(struct f2fs_volume *vol);
/* Keep nothing for GC: after the superblock got the feature. */
int read_only_settle(struct f2fs_volume *vol);
/* Keep for GC what files do not have: before the superblock loses the feature. */
int read_only_release(struct f2fs_volume *vol);

#endif
