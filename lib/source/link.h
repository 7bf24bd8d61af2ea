/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files with several names: the inode made of each.
 */
#ifndef F2FSKIT_SOURCE_LINK_H
#define F2FSKIT_SOURCE_LINK_H

#include "base/map32.h"
#include "base/vec.h"
#include "source/item.h"

/* A file of the source with further names, and the inode made of it. */
struct source_link {
	uint64_t dev, ino;
	f2fs_nid_t to;
	uint64_t next; /* 1 + number of the next one of the same mix, 0: none */
};

struct source_links {
	bool is_wanted;	    /* else none is noted */
	struct vec list;    /* struct source_link */
	struct map32 index; /* mix of device and inode -> 1 + number of the first link */
};

void source_links_init(struct source_links *links, struct f2fs_context *ctx, bool is_wanted);
void source_links_fini(struct source_links *links);
/* The inode that an item became before; F2FS_NO_NID if it did not. */
f2fs_nid_t source_link_find(const struct source_links *links, const struct source_item *item);
int source_link_add(struct source_links *links, const struct source_item *item, f2fs_nid_t to);

#endif
