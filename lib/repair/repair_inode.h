/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Patch an inode's block as the facts have it.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_INODE_H
#define F2FSKIT_REPAIR_REPAIR_INODE_H

#include "repair/repair.h"

/* Patch a kept inode's block as the facts have it. */
void repair_inode_block(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode,
			uint8_t *block);
/* Clear pointers that lead nowhere, and put in those that moved. */
void repair_slots(const struct repair *r, const struct nid_fact *fact, const struct inode_fact *inode, uint8_t *slots,
		  uint32_t count);
/* Is the pointer to a node one that counts? */
bool repair_keeps_child(const struct repair *r, const struct nid_fact *by, uint32_t slot, f2fs_nid_t child,
			uint32_t place);

#endif
