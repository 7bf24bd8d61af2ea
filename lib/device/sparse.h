/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse files: the numbers of the format, shared by its reader and its writer, and the reader.
 */
#ifndef F2FSKIT_DEVICE_SPARSE_H
#define F2FSKIT_DEVICE_SPARSE_H

#define SPARSE_MAGIC 0xED26FF3Au
#define SPARSE_HEADER_SIZE 28u
#define SPARSE_CHUNK_HEADER_SIZE 12u

#define SPARSE_CHUNK_RAW 0xCAC1u
#define SPARSE_CHUNK_FILL 0xCAC2u
#define SPARSE_CHUNK_DONT_CARE 0xCAC3u
#define SPARSE_CHUNK_CRC32 0xCAC4u

#include "device/device.h"

/* Does a device begin as an Android sparse file does? */
bool sparse_is(struct f2fs_device *dev);
/* f2fs_device_open_sparse() without clearing the last error. */
int sparse_make(struct f2fs_device *inner, struct f2fs_device **out);

#endif
