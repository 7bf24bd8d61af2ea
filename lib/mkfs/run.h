/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State shared by the parts of mkfs. A new volume is a handful of blocks: they are collected per log in memory, and
 * each area is written once.
 *
 *	mkfs/mkfs.c		the driver: checks, order of writes
 *	mkfs/plan.c		options and devices -> layout
 *	mkfs/names.c		label, extension lists, alias names
 *	mkfs/areas.c		discard, SIT, NAT, the end of stale fsync chains
 *	mkfs/tree.c		root, quota files, lost+found, alias files
 *	mkfs/quota.c		contents of a quota file
 *	mkfs/checkpoint.c	the two packs
 *	mkfs/superblock.c	the two superblocks
 */
#ifndef F2FSKIT_MKFS_RUN_H
#define F2FSKIT_MKFS_RUN_H

#include <f2fskit/mkfs.h>

#include "base/context.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"

#define MKFS_LOG_BLOCKS 16u /* most blocks written to one log: quota files are 2 each */
#define MKFS_NODES 16u	    /* most nodes: root, 3 quota files, lost+found, 7 aliases */

/* Blocks for one log. */
struct mkfs_log {
	uint8_t *blocks; /* MKFS_LOG_BLOCKS blocks, NULL while the log is empty */
	uint32_t count;
	uint8_t summaries[MKFS_LOG_BLOCKS * sum_SIZE];
};

struct mkfs_node {
	f2fs_nid_t nid;
	f2fs_blk_t addr;
};

struct mkfs {
	struct f2fs_context *ctx;
	const struct f2fs_mkfs_options *options;
	const struct f2fs_mkfs_device *devices;
	unsigned device_count;
	struct f2fs_device *whole; /* all devices in a row, by block address */
	struct f2fs_mkfs_result result;
	const struct f2fs_layout *layout; /* of result */
	const struct f2fs_geometry *geo;  /* of layout */
	uint8_t sb[sb_SIZE];
	struct mkfs_log logs[F2FS_LOG_COUNT];
	struct mkfs_node nodes[MKFS_NODES];
	unsigned node_count;
	f2fs_nid_t next_nid;
};

/* Byte of a block address on the whole device. */
static inline uint64_t mkfs_byte(const struct mkfs *m, f2fs_blk_t addr)
{
	return (uint64_t)addr << m->geo->block_bits;
}

/* Bytes of a new quota file. */
#define MKFS_QUOTA_BYTES 6144u

#endif
