/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out whether the device ends before the volume does, and what is lost with it.
 */
#ifndef F2FSKIT_FACTS_CUT_H
#define F2FSKIT_FACTS_CUT_H

#include "facts/run.h"

/*
 * Find out whether the device ends before the volume does. If so, the main area of c->geo ends with it. Then an address
 * is lost when the superblock's main area has it, but not the device.
 */
int cut_begin(struct checker *c);
/* Let a volume end where it was cut, if its main area was; false: it stays as it is. */
bool cut_shorten(struct f2fs_volume *vol, uint64_t cut_at);
static inline bool cut_is_lost(const struct checker *c, f2fs_blk_t addr)
{
	return addr >= c->geo->end_blkaddr && addr < c->cut_end;
}
/* Note that an inode lost a node (perhaps its own block), or data blocks, past the end of the device. */
int cut_take_node(struct checker *c, f2fs_nid_t ino);
int cut_take_blocks(struct checker *c, f2fs_nid_t ino, uint32_t blocks);
/* Is this a compressed cluster of which a part is lost? Then nothing of it can be read. */
bool cut_is_cluster(const struct checker *c, const uint8_t *slots, uint32_t count);
/* Has an inode lost something? */
bool cut_has(const struct checker *c, f2fs_nid_t ino);
/* Report the losses, file by file. */
int cut_tell(struct checker *c);

#endif
