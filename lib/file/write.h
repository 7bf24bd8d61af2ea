/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing files within the running transaction: slots and nodes, pages that wait to be written, inodes. All functions
 * work on the transaction's copy of the inode's node; handles of it notice by the volume's generation.
 */
#ifndef F2FSKIT_FILE_WRITE_H
#define F2FSKIT_FILE_WRITE_H

#include <f2fskit/compress.h>

#include "file/object.h"
#include "file/winode.h"

struct change;

/* Begin a change of a regular file's contents; refuses files that cannot be written. */
int data_begin(struct change *c, struct f2fs_inode *inode, struct winode *w);
/* Move inline contents into block 0, as is done before anything that works on blocks. */
int data_convert(struct winode *w);
/* The bytes between the old end of the file and a later one may hold rubbish: make them zeros. */
int data_clear_tail(struct f2fs_inode *inode, struct winode *w, uint64_t size);
/* Fail with ACCESS when the blocks that compression saved were given back. */
int data_need_reserved(const struct winode *w);
/* Fail with UNSUPPORTED when kernels would misread blocks without contents before the offset (FORMAT files 8.1). */
int data_need_no_hole(const struct winode *w, uint64_t offset);
uint64_t data_max_size(const struct winode *w);

#endif
