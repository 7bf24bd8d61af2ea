/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill the table of nodes of a rescue, and answer from it in place of the NAT.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_NAT_H
#define F2FSKIT_VOLUME_RESCUE_NAT_H

#include "volume/rescue.h"

/* Order nodes by their ids. */
int rescue_compare_nodes(const void *a, const void *b);
/* The entry of a node id in the table that is being filled; it is made when there is none. */
int rescue_entry(struct rescue *r, f2fs_nid_t nid, struct rescue_node **out);
/* Can entries of a NAT block be believed? first: id of the first. */
bool rescue_trusts_nat(const struct f2fs_geometry *geo, f2fs_nid_t first, const uint8_t *entries, uint32_t count);
/* The NAT as it was put together. */
void rescue_nat_get(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);
void rescue_nat_read(const struct f2fs_volume *vol, f2fs_nid_t first, uint32_t count, uint8_t *entries);
int rescue_nat_next(const struct f2fs_volume *vol, f2fs_nid_t nid, struct f2fs_nat_info *out);

#endif
