/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Numbers of the seekable format of zstd, shared by its reader and its writer: frames that each stand alone, then a
 * table of their sizes in a frame that plain decoders skip. Table: 8 bytes for each frame (12 with FLAG_SUMS): its size
 * in the file, its size when unpacked (0: a frame to be skipped). Then 9 bytes: number of frames, flags, magic.
 */
#ifndef F2FSKIT_DEVICE_ZSTD_FRAMES_H
#define F2FSKIT_DEVICE_ZSTD_FRAMES_H

#include "device/device.h"

#define ZSTD_FRAMES_NOTE_MAGIC 0x184D2A50u  /* of a frame with text for people */
#define ZSTD_FRAMES_TABLE_MAGIC 0x184D2A5Eu /* of the frame with the table */
#define ZSTD_FRAMES_END_MAGIC 0x8F92EAB1u   /* the last 4 bytes of the file */
#define ZSTD_FRAMES_SKIP_HEADER 8u	    /* magic and size before the skipped bytes */
#define ZSTD_FRAMES_END_SIZE 9u
#define ZSTD_FRAMES_FLAG_SUMS 0x80u
#define ZSTD_FRAMES_FLAG_MASK 0x7Cu /* must be zero */
/* Frames of written files hold this many bytes; those of other files may hold more, up to a bound. */
#define ZSTD_FRAMES_BYTES (256u << 10)
#define ZSTD_FRAMES_MOST (16u << 20)

#endif
