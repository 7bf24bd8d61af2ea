/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of the Android sparse file format, shared by its reader and its writer.
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

#include <f2fskit/device.h>

#endif
