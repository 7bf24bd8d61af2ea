/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the tree of a quota file, for quota.c and quota_walk.c only: blocks, references and raw entries.
 */
#ifndef F2FSKIT_FORMAT_QUOTA_TREE_H
#define F2FSKIT_FORMAT_QUOTA_TREE_H

#include <stdbool.h>

#include "format/quota.h"

#define QUOTA_ROOT 1u	      /* block of the tree's root */
#define QUOTA_REFERENCES 256u /* in a tree block */

/* Can it be a block of the tree below the root, or a leaf? */
bool quota_reference_is_valid(const struct quota_file *file, uint32_t block);
uint32_t quota_reference(const uint8_t *node, unsigned int index);
int quota_read_block(const struct quota_file *file, uint32_t block, uint8_t buf[QUOTA_BLOCK_SIZE]);

/* Find the leaf that must hold the entry of @id. The nodes on the way stay in @work. */
int quota_follow(struct quota_file *file, struct quota_work *work, uint32_t id, uint32_t *leaf);

unsigned int quota_leaf_entries(const struct quota_file *file);
const uint8_t *quota_leaf_entry(const struct quota_file *file, const uint8_t *leaf, unsigned int i);
bool quota_entry_is_used(const struct quota_file *file, const uint8_t *raw);
uint32_t quota_entry_id(const uint8_t *raw);
void quota_entry_decode(const struct quota_file *file, const uint8_t *raw, struct quota_entry *out);
/* Number of the entry of @id in a leaf, or quota_leaf_entries() if it has none. */
unsigned int quota_leaf_find(const struct quota_file *file, const uint8_t *leaf, uint32_t id);

#endif
