/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognise the nodes of a volume.
 */
#ifndef F2FSKIT_FORENSICS_PAST_NODE_H
#define F2FSKIT_FORENSICS_PAST_NODE_H

#include "forensics/past.h"

/* Is this block a node of the volume, and not newer than it? Fills out. */
bool past_is_node(struct f2fs_past *past, const uint8_t *block, f2fs_blk_t addr, struct past_node *out);

#endif
