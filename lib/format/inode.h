/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Inode blocks: how i_addr is divided, checksum, validation (FORMAT files 2, 3).
 */
#ifndef F2FSKIT_FORMAT_INODE_H
#define F2FSKIT_FORMAT_INODE_H

#include <f2fskit/file.h>
#include <stdbool.h>

#include "format/node.h"
#include "format/rules.h"

#define F2FS_TYPE_END (F2FS_TYPE_SYMLINK + 1u) /* file types are below */
#define INODE_ADDR_OFFSET 360u
#define NOBODY_ID 0xFFFFFFFFu /* no user, group or project: the kernel's invalid id */
#define OVERFLOW_ID 65534u    /* the kernel's stand-in for an owner that it cannot show: "nobody" */
#define INODE_DEFAULT_XATTR_WORDS 50u
#define INODE_LEAST_XATTR_WORDS 6u /* where there are inline attributes */
#define INODE_NSECS 1000000000u /* the nanoseconds of a time are fewer */

/* Short names of enum f2fs_mode_type. */
enum {
	MODE_TYPE = F2FS_MODE_TYPE,
	MODE_FIFO = F2FS_MODE_FIFO,
	MODE_CHR = F2FS_MODE_CHR,
	MODE_DIR = F2FS_MODE_DIR,
	MODE_BLK = F2FS_MODE_BLK,
	MODE_REG = F2FS_MODE_REG,
	MODE_LNK = F2FS_MODE_LNK,
	MODE_SOCK = F2FS_MODE_SOCK
};

/* How an inode's i_addr is divided; all sizes are checked against the block by inode_layout(). */
struct inode_layout {
	uint32_t extra_words;	/* EX */
	uint32_t xattr_words;	/* XA reserved for inline attributes */
	uint32_t slots;		/* AI: usable slots of the inode */
	uint32_t node_slots;	/* AB: usable slots of a direct node */
	uint32_t slot_offset;	/* byte of slot 0 */
	uint32_t inline_offset; /* byte of the inline payload */
	uint32_t inline_size;	/* bytes of the inline payload */
	uint32_t xattr_offset;	/* byte of the inline attributes */
	uint32_t xattr_size;	/* bytes in use for them: 0 without INLINE_XATTR */
	bool is_compressed;
	uint32_t cluster_blocks; /* when compressed */
};

static inline const uint8_t *inode_extra(const uint8_t *block)
{
	return block + INODE_ADDR_OFFSET;
}

static inline bool inode_has_inline(const uint8_t *block, uint32_t flag)
{
	return (inode_i_inline(block) & flag) != 0;
}

/* Words that inline attributes can have at most: the rest are 9 of extra attributes, 1 of inline contents, and 10 of
 * the smallest inline directory. */
static inline uint32_t inode_most_xattr_words(const struct f2fs_geometry *geo)
{
	return geo->addrs_per_inode - (9 + 1 + 10);
}

/* Bytes of extra attributes, 0 without EXTRA_ATTR. */
static inline uint32_t inode_extra_size(const uint8_t *block)
{
	return inode_has_inline(block, FLAG_i_inline_extra_attr) ? extra_i_extra_isize(inode_extra(block)) : 0;
}

/* Does the extra attribute that ends at this offset of inode_extra exist in this inode? */
static inline bool inode_has_extra(const uint8_t *block, uint32_t end)
{
	return inode_extra_size(block) >= end;
}

/* Divide i_addr. Numbers are clamped so that nothing is outside the block, even for an inode that fails inode_check().
 * */
void inode_layout(const struct f2fs_geometry *geo, const uint8_t *block, struct inode_layout *out);
/* Is there a checksum in this inode? */
bool inode_has_checksum(const struct f2fs_geometry *geo, const uint8_t *block);
/* Compute it; seed is f2fs_crc(~0, uuid) (FORMAT files 2.6). */
uint32_t inode_checksum(const struct f2fs_geometry *geo, const uint8_t *block, uint32_t seed);
/* Return the first rule that an inode block read as node nid breaks (FORMAT files 2.10), or RULE_NONE. */
enum rule inode_check(const struct f2fs_geometry *geo, const uint8_t *block, f2fs_nid_t nid, uint32_t checksum_seed);
/* Does the kernel read an inode that breaks this rule? It caps the depth of a directory, and drops the extent of
 * anything but a regular file. */
bool inode_is_readable(const uint8_t *block, enum rule rule);
/* Are there no numbers of how a file is compressed? If it has the flag all the same, then the flag is wrong. */
bool inode_names_no_packing(const uint8_t *block);
/* Check only the algorithm, level and clusters of a compressed file. */
enum rule inode_check_packing(const struct f2fs_geometry *geo, const uint8_t *block);

#endif
