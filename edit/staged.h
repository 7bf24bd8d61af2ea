/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Deleted files that come back, staged outside the volume: what is left of them lies in free blocks, which the first
 * change of the volume may write over.
 */
#ifndef F2FSKIT_EDIT_STAGED_H
#define F2FSKIT_EDIT_STAGED_H

#include <stdio.h>

#include "edit/edit.h"

struct staged_xattr {
	struct staged_xattr *next;
	char *name;
	size_t size;
	uint8_t value[];
};

#define POLICY_MAX 24 /* bytes of an encryption context without the nonce */

/* How something is encrypted: the bytes of its context that are the same for all of a tree; none: not at all. */
struct staged_policy {
	uint8_t bytes[POLICY_MAX];
	size_t size;
};

struct staged {
	struct staged *next;
	char *path;   /* without a slash in front */
	char *target; /* of a symbolic link */
	char **links; /* further paths, likewise */
	uint32_t link_count;
	struct staged_policy policy;
	struct f2fs_stat stat;
	struct staged_xattr *xattrs;
	f2fs_blk_t addr;
	f2fs_nid_t made; /* a directory: its inode now, 0: there was one already */
	uint64_t at;   /* in the temporary file */
	uint64_t lost; /* blocks and attributes that could not be had */
	uint64_t blank_holes; /* blank blocks among those */
	int is_blank;	      /* blocks of it are blank */
};

struct staging {
	struct edit *e;
	FILE *store;  /* a temporary file of the host */
	uint64_t end; /* of the store */
	uint8_t *buffer; /* a block */
	int takes_blank; /* blank blocks are contents like any others */
	struct staged *first, **last;
};

/* Each returns an error code after a message; staging_free() is called whatever happened. */
int staging_init(struct staging *staging, struct edit *e);
/* Stage a file as it is at the block of its inode. */
int staging_take(struct staging *staging, struct f2fs_past *past, const struct f2fs_deleted *file);
/*
 * Write the contents of a regular file; blocks of zeros stay holes.
 * Says nothing itself, except about errors of the host.
 */
int staged_write(struct staging *staging, const struct staged *s, struct f2fs_inode *inode);
/* Get the policy of an inode. */
void staged_policy_of(struct f2fs_inode *inode, struct staged_policy *out);
int staged_policy_equal(const struct staged_policy *a, const struct staged_policy *b);
/* Have directories come first, upper ones before those in them. */
int staging_sort(struct staging *staging);
void staging_free(struct staging *staging);

#endif
