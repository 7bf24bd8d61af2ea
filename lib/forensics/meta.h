/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Metadata images: meta_choose.c finds the blocks that belong into one, meta_scrub.c changes single blocks,
 * meta_alias.c gives names their other names, meta_image.c is the device on top.
 */
#ifndef F2FSKIT_FORENSICS_META_H
#define F2FSKIT_FORENSICS_META_H

#include <f2fskit/metadata.h>

#include "base/map32.h"
#include "base/siphash.h"
#include "format/dentry.h"

/* The kind of a block that is no ordinary node. */
enum meta_kind {
	META_NODE,
	META_RAW,    /* as it is */
	META_DIR,    /* of a directory, whose number goes with it */
	META_LINK,   /* a symlink's target */
	META_FOOTER, /* the NAT says node, nothing else does: only the footer is kept */
};

/* How names are filed in a directory. */
#define META_DIR_FOLDED 1u
#define META_DIR_CIPHER 2u
#define META_DIR_BITS 8u /* from this bit on: how many low bits of a hash choose the bucket */

struct meta_plan {
	struct f2fs_context *ctx;
	struct f2fs_geometry geo;
	uint32_t checksum_seed;
	f2fs_nid_t quota_inos[6]; /* those that the superblock names, and those that are there; 0: none */
	struct f2fs_metadata_options options;
	uint8_t key[SIPHASH_KEY_SIZE];
	uint8_t *kept;	    /* a bit for each block of the main area, MSB-first */
	struct map32 kinds; /* of kept blocks that are no nodes: META_ kind, above 8 bits the directory's number */
	struct map32 dirs;  /* META_DIR_ flags of directories */
	struct f2fs_metadata_stat stat;
};

/* A block could not be read; addr F2FS_NO_BLOCK: which one is not known. */
static inline void meta_note_unreadable(struct meta_plan *plan, uint64_t addr)
{
	if (plan->stat.unreadable++ == 0)
		plan->stat.first_unreadable = addr;
}

#endif
