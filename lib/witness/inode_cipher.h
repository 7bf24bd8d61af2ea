/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make lost inodes below encrypted directories.
 */
#ifndef F2FSKIT_WITNESS_INODE_CIPHER_H
#define F2FSKIT_WITNESS_INODE_CIPHER_H

#include "witness/inode_builder.h"

/*
 * Give the file in the builder's block the policy of its encrypted directory, if that alone decrypts its contents. Sets
 * b->cipher.
 */
int inode_cipher(struct builder *b, const struct lost_inode *lost);

#endif
