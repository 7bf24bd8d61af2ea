/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recognize compressed files by their slots.
 */
#ifndef F2FSKIT_WITNESS_INODE_PACKED_H
#define F2FSKIT_WITNESS_INODE_PACKED_H

#include "witness/inode_builder.h"

/*
 * Do the slots have a compressed cluster without its head? Encrypted clusters (is_cipher) have no readable header:
 * then the free slot in front of one is enough.
 */
int inode_looks_compressed(struct checker *c, const uint8_t *slots, uint32_t count, bool is_cipher, bool *out);
/* Does the inode in the builder's block have such a cluster, or its last direct node? */
int inode_looks_packed(const struct builder *b, bool is_cipher, bool *out);

#endif
