/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a device as an Android sparse file.
 */
#ifndef F2FSKIT_DEVICE_SPARSE_WRITE_H
#define F2FSKIT_DEVICE_SPARSE_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct f2fs_device;

/* f2fs_device_save_sparse() for a caller that compresses its output: dev is read once, since no block is looked at. */
int sparse_save_unfilled(struct f2fs_device *dev, uint32_t block_size,
			 int (*sink)(void *user, const void *bytes, size_t length), void *user);

#endif
