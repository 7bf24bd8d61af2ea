/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The undo file, as recording (undo.c) and playing back (undo_play.c) share it. All numbers are little-endian, all
 *parts start on multiples of 512 bytes, so that a sector that was made durable is never written again:
 *
 *	header   512 bytes at 0     what the file is for; written and flushed before anything else
 *	seal     512 bytes at 512   number of records, their end, checksum of the table; written when the recording
 *				    was closed
 *	record   from 4096 on       512 bytes: place, length, kind, checksums; then the old bytes, filled up to 512
 *	table    after the records  a checksum of each block of each record as it is when the recording closes
 *
 * The table has the state in which the recording left the device. Playing back overwrites only blocks still in that
 * state, or with their old bytes already. Later changes may not touch those blocks. So the seal also has a checksum of
 * the other blocks at the start of the device, which every commit of a volume changes.
 *
 * A record's checksum starts from the header's identity and the record's number: bytes of another file never look like
 * a record of this one.
 */
#ifndef F2FSKIT_DEVICE_UNDO_H
#define F2FSKIT_DEVICE_UNDO_H

#include "base/bytes.h"
#include "base/crc.h"
#include "device/device.h"

#define UNDO_SECTOR 512u
#define UNDO_VERSION 3u		   /* of one device */
#define UNDO_VERSION_SET 4u	   /* of several: those of a volume in a row */
#define UNDO_BLOCK 4096u	   /* unit of saving; a shorter piece at the end of the device */
#define UNDO_FIRST_RECORD 4096u	   /* offset of the first record */
#define UNDO_RECORD_MAX (1u << 20) /* bytes that one record holds */
#define UNDO_MAX_PARTS 8u
#define UNDO_WATCH_BLOCKS 8192u /* 32 MiB: superblocks and checkpoints of all usual layouts */
#define UNDO_PRINT_BYTES 32768u /* first bytes of the device, which identify it */

/* Offsets in the header. */
enum {
	UNDO_MAGIC = 0,	       /* 8 bytes */
	UNDO_HEAD_VERSION = 8, /* u32 */
	UNDO_BLOCK_SIZE = 12,  /* u32 */
	UNDO_DEVICE_SIZE = 16, /* u64 */
	UNDO_IDENTITY = 24,    /* u64, random */
	UNDO_PRINT = 32,       /* u32: checksum of the device's first UNDO_PRINT_BYTES before the first change */
	UNDO_PARTS = 36,       /* u32, of a set: number of devices; UNDO_DEVICE_SIZE is their sum */
	UNDO_PART = 40,	       /* for each: u64 size, u32 print */
	UNDO_PART_SIZE = 12,
	UNDO_HEAD_CHECK = 508 /* u32: checksum of the 508 bytes before */
};
/* In the seal. */
enum {
	UNDO_SEAL_MAGIC = 0,
	UNDO_SEAL_IDENTITY = 8,
	UNDO_SEAL_RECORDS = 16,
	UNDO_SEAL_END = 24,    /* u64: of the records, where the table begins */
	UNDO_SEAL_BLOCKS = 32, /* u64: entries of the table, u32 each */
	UNDO_SEAL_TABLE = 40,  /* u32: checksum of the table */
	UNDO_SEAL_WATCH = 44,  /* u32: checksum of the blocks below UNDO_WATCH_BLOCKS that have no record */
	UNDO_SEAL_CHECK = 508
};
/* In a record. */
enum {
	UNDO_RECORD_MAGIC = 0,	 /* 8 bytes */
	UNDO_RECORD_NUMBER = 8,	 /* u64, from 0 */
	UNDO_RECORD_OFFSET = 16, /* u64, byte of the device */
	UNDO_RECORD_LENGTH = 24, /* u32, bytes */
	UNDO_RECORD_KIND = 28,	 /* u32, enum undo_kind */
	UNDO_RECORD_DATA = 32,	 /* u32, checksum of the bytes */
	UNDO_RECORD_CHECK = 508
};
enum undo_kind { UNDO_BYTES = 1, UNDO_ZEROS = 2 /* a hole: no bytes follow */ };

#define UNDO_MAGIC_HEAD "F2FSUNDO"
#define UNDO_MAGIC_SEAL "F2FSSEAL"
#define UNDO_MAGIC_RECORD "F2FSOLD."

/* Checksum of a sector's first 508 bytes, from what binds it to this file. */
static inline uint32_t undo_check(const uint8_t *sector, uint64_t identity, uint64_t number)
{
	uint8_t seed[16];

	put_le64(seed, identity);
	put_le64(seed + 8, number);
	return crc_f2fs(crc_f2fs(CRC_F2FS_SEED, seed, sizeof(seed)), sector, UNDO_SECTOR - 4);
}

/* Bytes that a record of length bytes takes in the file. */
static inline uint64_t undo_record_size(uint32_t length, uint32_t kind)
{
	const uint64_t data = kind == UNDO_BYTES ? length : 0;

	return UNDO_SECTOR + (data + UNDO_SECTOR - 1) / UNDO_SECTOR * UNDO_SECTOR;
}

/* Blocks of a record, each with an entry of the table; the last of a device may be short. */
static inline uint32_t undo_record_blocks(uint32_t length)
{
	return (length + UNDO_BLOCK - 1) / UNDO_BLOCK;
}

static inline uint32_t undo_block_length(uint32_t length, uint32_t block)
{
	const uint32_t left = length - block * UNDO_BLOCK;

	return left < UNDO_BLOCK ? left : UNDO_BLOCK;
}

/* Put a recording on top of inner, which is parts[0], or all parts in a row. */
int undo_make(struct f2fs_device *inner, struct f2fs_device *log, struct f2fs_device *const *parts, unsigned count,
	      struct f2fs_device **out);
/* The recording's file was made for it, and goes when nothing was changed. */
void undo_own(struct f2fs_device *dev);
/* Checksum of the blocks at the beginning of dev that have no bit in the map (NULL: none has one); buffer: a record. */
int undo_watch(struct f2fs_device *dev, const uint8_t *saved, uint8_t *buffer, uint32_t *out);
/* Read the first bytes of a device, which identify it, at most UNDO_PRINT_BYTES. */
int undo_fingerprint(struct f2fs_device *dev, uint8_t *buffer, size_t *length);

#endif
