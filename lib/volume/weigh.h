/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Two valid superblocks that say different things: which of them agrees with the rest of the volume.
 */
#ifndef F2FSKIT_VOLUME_WEIGH_H
#define F2FSKIT_VOLUME_WEIGH_H

#include "format/evidence.h"
#include "volume/volume.h"

/* Features that the inodes of a volume show. */
struct features_seen {
	struct evidence inodes;
	uint32_t shown, denied; /* features; with those that quota files show */
	f2fs_nid_t quota[3];	/* files with the header of a quota file among the first node ids */
};
/* Look at inodes until there are enough: those of the NAT, or any in the main area. Fails with NOMEM. */
int features_look(struct f2fs_volume *vol, uint32_t enough, struct features_seen *seen);
/* The same, just far enough to see the quota files: formatting gives them the first node ids. */
int quota_files_look(struct f2fs_volume *vol, struct features_seen *seen);

/* The features that the quota files show that the superblock names. Fails with NOMEM. */
int features_of_quota(struct f2fs_volume *vol, uint32_t *feature);

/* Do two superblocks differ in what decides how the volume is read? */
bool superblocks_disagree(const uint8_t *a, const uint8_t *b);
/* How much of the volume speaks against the superblock it was opened with; other: the other copy. Negative: NOMEM. */
int superblock_doubts(struct f2fs_volume *vol, const uint8_t *other);

#endif
