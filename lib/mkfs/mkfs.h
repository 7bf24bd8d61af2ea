/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the parts of mkfs share. A new volume is a handful of blocks: they are collected per log in memory, and each
 * area is written once.
 *
 *	mkfs/mkfs.c			the driver: checks, order of writes
 *	mkfs/plan.c		options and devices -> layout
 *	mkfs/names.c		label, extension lists, alias names
 *	mkfs/areas.c		discard, SIT, NAT, the end of stale fsync chains
 *	mkfs/tree.c		root, quota files, lost+found, alias files
 *	mkfs/quota.c		contents of a quota file
 *	mkfs/checkpoint.c	the two packs
 *	mkfs/superblock.c	the two superblocks
 */
#ifndef F2FSKIT_MKFS_MKFS_H
#define F2FSKIT_MKFS_MKFS_H

#include <f2fskit/mkfs.h>

#include "base/context.h"
#include "format/flags.h"
#include "format/geometry.h"
#include "format/structs.h"

#define MKFS_LOG_BLOCKS 16u /* most blocks written to one log: quota files are 2 each */
#define MKFS_NODES 16u	    /* most nodes: root, 3 quota files, lost+found, 7 aliases */

/* What goes to one log. */
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

/* Plan without forgetting the last error first. */
int mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
	      const struct f2fs_mkfs_options *options, struct f2fs_layout *out);

/* Check label, stamp, extension lists and alias names: all that needs no layout. */
int mkfs_check_names(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
		     const struct f2fs_mkfs_options *options);
/* Fill the superblock's label and extension lists. */
int mkfs_fill_names(struct mkfs *m);

/* Discard the devices, or reset their zones; sets result.trimmed. */
int mkfs_discard(struct mkfs *m);
/* Make the areas that readers take on trust right: SIT and NAT, and no stale chain of fsynced nodes. */
int mkfs_write_areas(struct mkfs *m);

/* Make the nodes and blocks that a new volume has. */
int mkfs_build_tree(struct mkfs *m);
/* Write what was appended, each log in one go. */
int mkfs_write_logs(struct mkfs *m);

/* Bytes of a new quota file. */
#define MKFS_QUOTA_BYTES 6144u
/* Fill a quota file (MKFS_QUOTA_BYTES, zeroed) of a kind with the usage of its one id. */
void mkfs_fill_quota(uint8_t *file, unsigned kind, uint32_t id, uint64_t inodes, uint64_t bytes);

/* Write both checkpoint packs. */
int mkfs_write_packs(struct mkfs *m);

/* Fill the superblock; after the tree, whose inode numbers it names. */
int mkfs_fill_superblock(struct mkfs *m);
/* Clear both superblocks of any block size, of all devices that are written. */
int mkfs_clear_superblocks(struct mkfs *m);
int mkfs_write_superblocks(struct mkfs *m);

#endif
