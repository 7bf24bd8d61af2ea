/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Divide an inode that is made from its entry and its blocks.
 */
#ifndef F2FSKIT_WITNESS_FRESH_LAYOUT_H
#define F2FSKIT_WITNESS_FRESH_LAYOUT_H

#include "witness/inode_builder.h"

/* Find the number of slots that most of some files of the volume have. 0: there are no files. */
uint32_t fresh_common_slots(const struct checker *c);
/* Set i_inline and the extra fields that divide the inode in b->block. from: the inode of its directory, NULL: none. */
void fresh_layout(struct builder *b, const struct lost_inode *lost, const uint8_t *from);

#endif
