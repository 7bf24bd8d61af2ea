/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read contents of files.
 */
#ifndef F2FSKIT_FILE_DATA_READ_H
#define F2FSKIT_FILE_DATA_READ_H

#include "file/object.h"

/* Read stored bytes [offset, offset + length) of the data, whatever i_size says. compressed clusters are decompressed.
 */
int data_read(struct f2fs_inode *inode, uint64_t offset, uint8_t *buffer, size_t length);

/* The same as the public functions of these names, without forgetting the last error: for calls within the library. */
int inode_read(struct f2fs_inode *inode, uint64_t offset, void *buffer, size_t length, size_t *done);
int inode_readlink(struct f2fs_inode *inode, char *buffer, size_t size, size_t *length);

#endif
