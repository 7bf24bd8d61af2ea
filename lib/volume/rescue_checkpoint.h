/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find or make a checkpoint for a volume whose packs are both not valid.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_CHECKPOINT_H
#define F2FSKIT_VOLUME_RESCUE_CHECKPOINT_H

#include "volume/volume.h"

/* Find or make a checkpoint; fills what roots_load_checkpoint() and heads_load() would. */
int rescue_checkpoint(struct f2fs_volume *vol);
/* The older pack was taken because the newer one breaks a rule: take that, if its numbers can be corrected. */
int rescue_newer_pack(struct f2fs_volume *vol);

#endif
