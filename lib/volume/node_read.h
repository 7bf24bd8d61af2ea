/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read nodes by their ids.
 */
#ifndef F2FSKIT_VOLUME_NODE_READ_H
#define F2FSKIT_VOLUME_NODE_READ_H

#include "volume/volume.h"

/*
 * Read a node's block into block: looks nid up, checks the address and that the footer's nid is nid. ino 0: any owner.
 * *addr may be NULL.
 */
int node_load(struct f2fs_volume *vol, f2fs_nid_t nid, f2fs_nid_t ino, uint8_t *block, f2fs_blk_t *addr);
/* The same for a caller that has the NAT entry. */
int node_load_at(struct f2fs_volume *vol, const struct f2fs_nat_info *entry, f2fs_nid_t ino, uint8_t *block);

#endif
