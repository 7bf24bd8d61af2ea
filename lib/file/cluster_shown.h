/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Correct an inode's fields of compression by its clusters.
 */
#ifndef F2FSKIT_FILE_CLUSTER_SHOWN_H
#define F2FSKIT_FILE_CLUSTER_SHOWN_H

#include "volume/volume.h"

/* Do algorithm, level or size of the clusters in an inode break a rule, or its slots contradict them? */
bool packing_is_doubtful(const struct f2fs_geometry *geo, const uint8_t *block);
/* Correct an inode's block by its clusters. Changes nothing where they prove nothing, or agree. */
int packing_correct(struct f2fs_volume *vol, uint8_t *block, bool *is_changed);

#endif
