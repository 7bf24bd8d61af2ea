/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rebuild the superblock of a volume without a valid copy.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_SUPERBLOCK_H
#define F2FSKIT_VOLUME_RESCUE_SUPERBLOCK_H

#include "volume/volume.h"

/* Find both superblocks' replacement; fills vol->sb, vol->geo. The first error stays when there is none. */
int rescue_superblock(struct f2fs_volume *vol);

#endif
