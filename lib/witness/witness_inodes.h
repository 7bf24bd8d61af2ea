/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Build inodes again whose blocks hold something else.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_INODES_H
#define F2FSKIT_WITNESS_WITNESS_INODES_H

#include "facts/run.h"

/* A part of the dirs pass, when the entries are known. Nodes of attributes are built again here, too. */
int witness_inodes(struct checker *c);
/* Count the bytes of a file in its last block. Text has no NUL bytes. Other files may end with some. */
int inode_bytes_in_last(struct checker *c, f2fs_blk_t addr, uint32_t *bytes);

#endif
