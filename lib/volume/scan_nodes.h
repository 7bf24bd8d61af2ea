/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the newest version of each node in the main area.
 */
#ifndef F2FSKIT_VOLUME_SCAN_NODES_H
#define F2FSKIT_VOLUME_SCAN_NODES_H

#include "volume/volume.h"

/* Do the SIT's sums agree with the checkpoint's? Then damage in it is as good as out of the question. */
bool rescue_sit_agrees(struct f2fs_volume *vol);
/* Read the main area and fill the table of nodes. */
int rescue_scan(struct f2fs_volume *vol);

#endif
