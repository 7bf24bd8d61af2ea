/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two valid superblocks that say different things: which of them agrees with the rest of the volume.
 */
#ifndef F2FSKIT_VOLUME_WEIGH_H
#define F2FSKIT_VOLUME_WEIGH_H

#include "format/evidence.h"
#include "volume/volume.h"

/* Do two superblocks differ in what decides how the volume is read? */
bool superblocks_disagree(const uint8_t *a, const uint8_t *b);
/* How much of the volume speaks against the superblock it was opened with; other: the other copy. Negative: NOMEM. */
int superblock_doubts(struct f2fs_volume *vol, const uint8_t *other);

#endif
