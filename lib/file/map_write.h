/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the slots of file blocks, and make the nodes on the way.
 */
#ifndef F2FSKIT_FILE_MAP_WRITE_H
#define F2FSKIT_FILE_MAP_WRITE_H

#include "file/winode.h"

struct slot_ref {
	struct node *node; /* that holds the slot */
	uint8_t *raw;	   /* the slot */
	uint32_t ofs_in_node;
	uint32_t count; /* slots from here to the end of the node */
};
/* Return the owner of the block of a later slot, `behind` further. */
static inline struct owner slot_owner(const struct slot_ref *slot, uint32_t behind)
{
	return (struct owner){ .nid = slot->node->nid,
			       .ofs = (uint16_t)(slot->ofs_in_node + behind),
			       .version = slot->node->version };
}
/* Find the slot of a file block, making the nodes on the way; TOO_BIG beyond the largest file. */
int slot_make(struct winode *w, uint64_t file_block, struct slot_ref *out);
/* Find the slot of a file block without making nodes; out->node is NULL for a hole of out->count blocks. */
int slot_find(struct winode *w, uint64_t file_block, struct slot_ref *out);

#endif
