/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare a volume with a source of items, in the form in which populating takes them. For each item the entry at its
 * path in the volume is examined. Then a walk over the volume finds entries without an item.
 */
#ifndef F2FSKIT_COMPARE_RUN_H
#define F2FSKIT_COMPARE_RUN_H

#include <f2fskit/diff.h>

#include "base/map32.h"
#include "source/link.h"
#include "source/source.h"

/* An entry of the volume that the source has, too. */
struct compare_seen {
	f2fs_nid_t dir;
	uint64_t position;
};

/* A directory of the volume below its root. */
struct compare_level {
	f2fs_nid_t ino;
	size_t path_length; /* its path is that much of parent_path */
};

/* Further facts about a directory of the volume. */
enum compare_dir {
	COMPARE_DIR_PARENT = 1, /* the source has something in it */
	COMPARE_DIR_UNREAD = 2	/* nothing can be said about its entries */
};

struct compare {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct source src;	   /* the source that it is compared with */
	struct source_links links; /* files of the source with several names */
	const struct f2fs_diff_options *opt;
	struct f2fs_diff_result *result;
	unsigned fields;	   /* enum f2fs_diff_field that are wanted */
	struct vec seen;	   /* struct compare_seen */
	bool is_complete;	   /* there are no more items: seen is in order */
	struct map32 dirs;	   /* inode -> enum compare_dir */
	struct vec shown;	   /* char: scratch, the path with a slash in front */
	struct vec levels;	   /* struct compare_level: the way to the directory of the item before */
	struct f2fs_inode *parent; /* that directory; NULL: not open */
	struct vec parent_path;	   /* char: its path */
	uint8_t *buffer;	   /* SOURCE_BUFFER bytes of the volume */
	uint64_t room;		   /* see read_room_take() */
};

#endif
