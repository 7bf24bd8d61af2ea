/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Comparing a volume with a source of items, as filling one takes them: for each item what has its path in the volume
 * is looked at; the volume is then walked for what no item was for.
 */
#ifndef F2FSKIT_COMPARE_COMPARE_H
#define F2FSKIT_COMPARE_COMPARE_H

#include <f2fskit/diff.h>

#include "source/populate.h"

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

/* What is known of a directory of the volume besides. */
enum compare_dir {
	COMPARE_DIR_PARENT = 1, /* the source has something in it */
	COMPARE_DIR_UNREAD = 2	/* of what is in it nothing can be said */
};

struct compare {
	struct populate p; /* the source; p.vol is the volume */
	const struct f2fs_diff_options *opt;
	struct f2fs_diff_result *result;
	unsigned fields; /* enum f2fs_diff_field that are wanted */
	struct vec seen;   /* struct compare_seen */
	bool is_complete;  /* there are no more items: seen is in order */
	struct map32 dirs; /* inode -> enum compare_dir */
	struct vec shown;  /* char: scratch, the path with a slash in front */
	struct vec levels;	   /* struct compare_level: the way to the directory of the item before */
	struct f2fs_inode *parent; /* that directory; NULL: not open */
	struct vec parent_path;	   /* char: its path */
	uint8_t *buffer;	   /* POPULATE_BUFFER bytes of the volume */
	uint64_t room;		   /* see compare_work() */
};

/* seek.c */
/* Tell of a path (no slash in front). Negative: the run ends. */
int compare_tell(struct compare *c, const char *path, struct f2fs_difference *difference);
/* Tell that a path cannot be read, for the error in the context, and claim nothing of what is in it. */
int compare_unreadable(struct compare *c, const char *path);
/* Does an error end the run? */
bool compare_is_fatal(const struct compare *c, int err);
/* Find what has a path in the volume, links not followed; *out is NULL when nothing has. The source has it, if sees. */
int compare_find(struct compare *c, const char *path, bool sees, struct f2fs_inode **out);
void compare_forget_parent(struct compare *c);

/* work.c */
/*
 * A hostile volume may lead to the same block from everywhere, so all files together may give no more than a volume
 * of that size can hold, when everything in it is compressed as well as it can be.
 */
uint64_t compare_room(const struct f2fs_volume *vol);
/* Take that much of the room, and a block's worth for looking; CORRUPT when there is none left. */
int compare_work(struct f2fs_context *ctx, const struct f2fs_volume *vol, uint64_t *room, uint64_t bytes);

/* metadata.c: add what differs between an item, whose attributes are ready, and an inode to *fields. */
int compare_metadata(struct compare *c, const struct populate_item *item, struct f2fs_inode *inode, unsigned *fields);

/* contents.c */
int compare_contents(struct compare *c, struct populate_item *item, struct f2fs_inode *inode, bool *differ);
/* Do blocks of two inodes, of two volumes, lie elsewhere? */
int compare_layout(struct compare *c, struct f2fs_inode *inode, struct f2fs_inode *other, bool *differ);

/* rest.c: tell of what the volume has and no item was for. */
int compare_rest(struct compare *c);

/* volume_source.c: a volume as a source. */
int compare_volume_open(struct populate *p, struct f2fs_volume *vol);
/* The inode of the item at hand. */
struct f2fs_inode *compare_volume_inode(const struct populate *p);
/* A call for that volume failed: the context at hand gets its error. */
int compare_volume_error(struct populate *p, int err);

#endif
