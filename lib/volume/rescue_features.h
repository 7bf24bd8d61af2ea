/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find features of a volume by its inodes and quota files.
 */
#ifndef F2FSKIT_VOLUME_RESCUE_FEATURES_H
#define F2FSKIT_VOLUME_RESCUE_FEATURES_H

#include "format/evidence.h"
#include "volume/volume.h"

/* Guess features, quota files and the seed of checksums from the inodes in the main area. */
int rescue_guess_features(struct f2fs_volume *vol);

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

#endif
