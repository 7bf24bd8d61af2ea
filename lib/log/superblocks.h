/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Replace the superblock of an open volume.
 */
#ifndef F2FSKIT_LOG_SUPERBLOCKS_H
#define F2FSKIT_LOG_SUPERBLOCKS_H

#include "volume/volume.h"

/* May the superblocks be written? 0, READ_ONLY, STATE. */
int superblock_writable(struct f2fs_volume *vol);
/* Make sb the superblock, checksum included: on the device, durably, and in memory. */
int superblock_replace(struct f2fs_volume *vol, uint8_t *sb);

#endif
