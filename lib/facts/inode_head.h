/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find inodes whose first bytes are lost. Others have some wrong fields.
 */
#ifndef F2FSKIT_FACTS_INODE_HEAD_H
#define F2FSKIT_FACTS_INODE_HEAD_H

#include "facts/run.h"

/*
 * Have more fields before the name impossible values than a few wrong bits explain? Then none of them can be believed.
 * A device that writes only some sectors of a block leaves such an inode. The footer, at its end, is right.
 */
bool inode_head_is_lost(const struct checker *c, const uint8_t *block);

#endif
