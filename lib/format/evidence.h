/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Evidence of inodes about the features of their volume. If many inodes contradict a superblock, the superblock is
 * wrong.
 */
#ifndef F2FSKIT_FORMAT_EVIDENCE_H
#define F2FSKIT_FORMAT_EVIDENCE_H

#include <f2fskit/format.h>
#include <stdbool.h>

#define EVIDENCE_FEATURES 17u /* bits that are known */
#define FEATURES_KNOWN ((1u << EVIDENCE_FEATURES) - 1)
#define EVIDENCE_SEEDS 16u
/* Features that inodes can only have with extra attributes. */
#define FEATURES_NEED_EXTRA                                                                                            \
	(F2FS_FEAT_PROJECT_QUOTA | F2FS_FEAT_INODE_CHECKSUM | F2FS_FEAT_FLEXIBLE_INLINE_XATTR |                        \
	 F2FS_FEAT_INODE_CRTIME | F2FS_FEAT_COMPRESSION)

struct evidence {
	uint32_t inodes;		   /* looked at */
	uint32_t able[EVIDENCE_FEATURES];  /* by bit: how many would show the feature if the volume had it */
	uint32_t shows[EVIDENCE_FEATURES]; /* how many do */
	uint32_t sure;			   /* features of which one inode has two marks that need each other */
	uint32_t seeds[EVIDENCE_SEEDS];	   /* of the checksums of the first inodes that have one */
	uint32_t seed_count;
	uint32_t sums, right_sums; /* inodes with room for a checksum, and with the seed's: evidence_sum() */
};

/* Take an inode in. Only block size and bounds of the geometry are asked. */
void evidence_add(struct evidence *e, const struct f2fs_geometry *geo, const uint8_t *block);
/* Note other evidence for a feature than inodes: then one inode that shows it is enough. */
void evidence_confirm(struct evidence *e, uint32_t feature);
/* Features that are in use. */
uint32_t evidence_shown(const struct evidence *e);
/* Features that most inodes would show, and do not. */
uint32_t evidence_denied(const struct evidence *e);
/*
 * Correct the feature word: set shown features, clear denied ones, keep the rest. extra_attr stays, as it may have been
 * turned on later. Features that need extra attributes go when neither the word nor the inodes have these.
 */
uint32_t evidence_decide(const struct evidence *e, uint32_t feature);
/* Where the superblock is without inode_checksum: is the checksum that an inode has nevertheless the seed's? */
void evidence_sum(struct evidence *e, const struct f2fs_geometry *geo, const uint8_t *block, uint32_t seed);
/* Do all checksums counted by evidence_sum() hold? Then the feature was lost. Otherwise they are stale, or left from a
 * change of the UUID. */
bool evidence_sums_hold(const struct evidence *e);
/* The seed of checksums that most of the first inodes agree on; false: there is none. */
bool evidence_seed(const struct evidence *e, uint32_t *seed);
/* Compute the checksum before n bytes, given the one after them. */
uint32_t evidence_crc_backwards(uint32_t crc, const uint8_t *bytes, size_t n);

#endif
