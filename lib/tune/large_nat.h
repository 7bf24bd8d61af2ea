/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn the checkpoint flag large_nat_bitmap on and off (FORMAT volume 4.5). It is no feature of the superblock: one
 * commit writes the next checkpoint with its bitmaps at their other places, and the old one stays valid until then.
 */
#ifndef F2FSKIT_TUNE_LARGE_NAT_H
#define F2FSKIT_TUNE_LARGE_NAT_H

#include "volume/volume.h"

bool large_nat_is_on(const struct f2fs_volume *vol);
/* Fail with UNSUPPORTED if the bitmaps do not fit where they would be. */
int large_nat_judge(struct f2fs_volume *vol, bool on);
/* Commit the change. Fails as a commit does; the volume is as before then. */
int large_nat_switch(struct f2fs_volume *vol, bool on);

#endif
