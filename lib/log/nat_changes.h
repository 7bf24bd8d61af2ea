/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * NAT entries that a transaction changed. Ids that follow each other share a group, so that each of many new files
 * takes 15 bytes or less.
 */
#ifndef F2FSKIT_LOG_NAT_CHANGES_H
#define F2FSKIT_LOG_NAT_CHANGES_H

#include <f2fskit/volume.h>

#include "base/chunks.h"
#include "base/map32.h"
#include "base/vec.h"

struct nat_changes {
	struct map32 index;   /* node id / ids of a group -> number of the group */
	struct chunks groups; /* struct nat_group */
	size_t count;	      /* entries */
};

void nat_changes_init(struct nat_changes *c, struct f2fs_context *ctx);
void nat_changes_fini(struct nat_changes *c);
/* Was the entry of this id changed? out: it, without its place in the table; NULL: not wanted. */
bool nat_changes_find(const struct nat_changes *c, f2fs_nid_t nid, struct f2fs_nat_info *out);
/* Set an entry; 0 or F2FS_ERR_NOMEM. */
int nat_changes_set(struct nat_changes *c, const struct f2fs_nat_info *entry);

/* A walk over all entries by their ids; nothing may be set meanwhile. */
struct nat_changes_walk {
	const struct nat_changes *changes;
	struct vec order; /* uint32_t: keys of the index, sorted */
	size_t group;	  /* in order */
	unsigned item;	  /* the next one of that group */
};

/* Begin a walk; 0 or F2FS_ERR_NOMEM. End it in either case. */
int nat_changes_walk_begin(struct nat_changes_walk *walk, const struct nat_changes *c);
/* Give the next entry; false after the last. */
bool nat_changes_walk_next(struct nat_changes_walk *walk, struct f2fs_nat_info *out);
void nat_changes_walk_end(struct nat_changes_walk *walk);

#endif
