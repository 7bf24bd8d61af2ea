/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with several names.
 */
#ifndef F2FSKIT_EXTRACT_LINK_H
#define F2FSKIT_EXTRACT_LINK_H

#include "extract/run.h"

/* The first name under which an inode with several was extracted. */
struct extract_link {
	struct sink_first first;
	uint64_t names_left; /* how many are still to come; of a free one the next free one */
};

void extract_links_init(struct extract *x);
/* Release all first names, so that their directories may be left. */
int extract_links_end(struct extract *x);
void extract_links_fini(struct extract *x);
struct extract_link *extract_link_find(struct extract *x, f2fs_nid_t ino);
int extract_link_add(struct extract *x, const struct sink_entry *entry);
/* One more name was made: forget the inode after the last one. */
int extract_link_used(struct extract *x, f2fs_nid_t ino);

#endif
