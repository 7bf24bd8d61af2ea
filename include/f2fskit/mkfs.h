/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make a volume: plan its layout, then write it. The same options, UUID, checkpoint version and time write the same
 * bytes on every host.
 */
#ifndef F2FSKIT_MKFS_H
#define F2FSKIT_MKFS_H

#include <f2fskit/device.h>
#include <f2fskit/format.h>

#ifdef __cplusplus
extern "C" {
#endif

#define F2FS_MAX_DEVICES 8 /* of one volume */

/* One device of a new volume; the first holds the metadata. */
struct f2fs_mkfs_device {
	struct f2fs_device *device; /* the caller keeps its own reference */
	uint64_t size;		    /* bytes to use, 0: the whole device */
	const char *path;	    /* entry of the device table, when there are several: 1 to 63 bytes */
	const char *alias;	    /* not NULL: the device becomes one file of this name (not for the first) */
};

/* Options of a new volume; begin it with F2FS_SIZED. Zero (or NULL) members mean the default. */
struct f2fs_mkfs_options {
	uint32_t struct_size;	/* F2FS_SIZED */
	uint32_t block_size;	/* bytes: 4096 or 16384; 0: 4096 */
	uint32_t segs_per_sec;	/* segments of a section; 0: 1, or as the zones */
	uint32_t secs_per_zone; /* sections of a zone; 0: 1 */
	/* enum f2fs_feature. blkzoned and device_alias follow from zoned and alias; project_quota brings quota
	 * along; packed_ssa is dropped with 4 KiB blocks. */
	uint32_t feature;
	/* percent of the main area kept for GC; 0: the value that leaves most usable space */
	double overprovision;
	uint32_t reserved_sections; /* sections kept for GC, zoned volumes only; at least 8 */
	uint8_t zoned;		    /* a zoned device: sections are its zones */
	/* node ids for a fifth of the blocks, with larger bitmaps (checkpoint flag large_nat_bitmap) */
	uint8_t large_nat;
	uint8_t no_nat_bits;	/* without maps of full and empty NAT blocks (FORMAT volume 4.8) */
	uint8_t no_discard;	/* leave old contents of unused blocks alone */
	uint8_t has_time;	/* time is set */
	uint8_t encoding_flags; /* with casefold: 1 strict, 2 hashonly */
	uint32_t root_uid;	/* owner of the root directory */
	uint32_t root_gid;	/* group of the root directory */
	int64_t time;		/* of all inodes, seconds since 1970, when has_time is set; else the context's clock */
	uint64_t checkpoint_version; /* of the first checkpoint; 0: random */
	const char *label;	     /* UTF-8, at most 512 UTF-16 units, no control characters */
	const uint8_t *uuid;	     /* 16 bytes; NULL: random */
	/* further file name extensions of cold files, separated by commas or spaces, 1 to 7 bytes each */
	const char *cold_extensions;
	const char *hot_extensions; /* as cold_extensions */
	const char *stamp;	    /* text of the superblock's version fields, at most 251 bytes; NULL: "f2fskit" */
};

/* Place of a device in a layout. */
struct f2fs_layout_device {
	uint64_t size;	   /* bytes */
	uint32_t segments; /* whole zones; of the first device from segment0 on */
	f2fs_blk_t start;  /* first block */
	f2fs_blk_t end;	   /* first block after it */
	uint8_t is_alias;  /* it becomes one file */
	uint8_t zone_type; /* enum f2fs_zone_type of its zones that are not conventional; 0: not zoned */
};

/* A layout: all numbers that follow from the size and the options. */
struct f2fs_layout {
	struct f2fs_geometry geometry;			     /* areas and counts */
	uint32_t device_count;				     /* length of devices */
	struct f2fs_layout_device devices[F2FS_MAX_DEVICES]; /* in order */
	double overprovision;				     /* percent */
	uint32_t usable_segments;			     /* of the main area, less what zones cannot hold */
	uint32_t reserved_segments;			     /* for GC */
	uint32_t overprovision_segments;		     /* segments kept for GC, reserved ones included */
	uint32_t alias_segments;			     /* segments of device aliases */
	uint32_t free_segments;				     /* of the new volume */
	uint64_t user_blocks;				     /* blocks that files can use */
	f2fs_seg_t logs[F2FS_LOG_COUNT];		     /* first segment of each log */
	uint32_t sit_bitmap_bytes;			     /* version bitmap of the SIT in the checkpoint */
	uint32_t nat_bitmap_bytes;			     /* version bitmap of the NAT in the checkpoint */
	uint32_t checksum_offset;			     /* in the checkpoint */
	uint8_t large_nat;				     /* checkpoint flag large_nat_bitmap */
	uint8_t nat_bits;				     /* the checkpoint has nat_bits (FORMAT volume 4.8) */
};

/*
 * Compute the layout for devices[0 .. count-1] (1 to 8); nothing is written. Fails with INVALID (an option),
 * UNSUPPORTED (options that exclude each other), NOSPC (too small; the message names the smallest size), TOO_BIG.
 */
F2FS_API int f2fs_mkfs_plan(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
			    const struct f2fs_mkfs_options *options, struct f2fs_layout *out);

/*
 * Find the smallest size in bytes of a volume on one device, not zoned, that the options allow. Fails with INVALID,
 * UNSUPPORTED (options that exclude each other), NOSPC (no size is enough).
 */
F2FS_API int f2fs_mkfs_minimum_size(struct f2fs_context *ctx, const struct f2fs_mkfs_options *options, uint64_t *bytes);

/* The new volume: its layout and identity. */
struct f2fs_mkfs_result {
	uint32_t struct_size;	     /* F2FS_SIZED */
	struct f2fs_layout layout;   /* as f2fs_mkfs_plan() computes it */
	uint8_t uuid[16];	     /* of the superblock */
	uint64_t checkpoint_version; /* of the first checkpoint */
	int64_t time;		     /* of all inodes, seconds since 1970 */
	uint32_t valid_nodes;	     /* nodes in use */
	uint64_t valid_blocks;	     /* blocks in use */
	f2fs_nid_t quota_ino[3];     /* user, group, project; 0: none */
	f2fs_nid_t lost_found_ino;   /* directory lost+found; 0: none */
	uint8_t trimmed;	     /* the devices discarded their contents */
};

/*
 * Make a volume: plan, check everything, discard, write, flush. An old volume's superblocks are cleared first, and the
 * new ones are written last, so a write that is cut short leaves nothing that mounts. Fails as f2fs_mkfs_plan does
 * before the first write, or as f2fs_device_write(). out may be NULL.
 */
F2FS_API int f2fs_mkfs_write(struct f2fs_context *ctx, const struct f2fs_mkfs_device *devices, unsigned count,
			     const struct f2fs_mkfs_options *options, struct f2fs_mkfs_result *out);

#ifdef __cplusplus
}
#endif
#endif
