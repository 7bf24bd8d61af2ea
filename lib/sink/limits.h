/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Limit the contents that are written.
 */
#ifndef F2FSKIT_SINK_LIMITS_H
#define F2FSKIT_SINK_LIMITS_H

#include "sink/sink.h"

/* TOO_BIG when bytes_planned is above the caller's limit. */
int sink_check_limit(struct sink *sink);
/* count more blocks are going to be read as contents of an inode. CORRUPT, recorded, when that makes more than the
 * volume has: they cannot all be files of their own. */
int sink_take_blocks(struct sink *sink, struct f2fs_inode *inode, uint64_t count);

#endif
