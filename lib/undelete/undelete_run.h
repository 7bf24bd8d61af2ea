/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One run of undelete: undelete.c finds and judges files, undelete_report.c counts and reports them. host_copy.c writes
 * them to the host. Or stage.c keeps them, and put_back.c writes them into the volume.
 */
#ifndef F2FSKIT_UNDELETE_UNDELETE_RUN_H
#define F2FSKIT_UNDELETE_UNDELETE_RUN_H

#include <f2fskit/key.h>
#include <f2fskit/undelete.h>
#include <f2fskit/write.h>

#include "base/context.h"
#include "base/vec.h"
#include "sink/hosttree.h"

#define POLICY_MAX 24 /* bytes of an encryption context without the nonce */
enum { TARGET_ROOM = 16385 };

/* The encryption of a file: the bytes of its context that are the same for all of a tree; none: not encrypted. */
struct undelete_policy {
	uint8_t bytes[POLICY_MAX];
	size_t size;
};

struct staged_xattr {
	struct staged_xattr *next;
	char *name;
	size_t size;
	uint8_t value[];
};

/* A file that waits for the volume to be changed. */
struct staged {
	struct staged *next;
	char *path;   /* without a slash in front */
	char *target; /* of a symbolic link */
	char **links; /* further paths, likewise */
	uint32_t link_count;
	struct undelete_policy policy;
	struct f2fs_stat stat;
	struct staged_xattr *xattrs;
	f2fs_blk_t addr;
	f2fs_nid_t made; /* a directory: its inode now, 0: there was one already */
	uint64_t at;	 /* in the store */
	uint64_t lost;	 /* blocks that could not be read */
	uint64_t lost_attributes;
	uint64_t blank; /* blank blocks */
	int confidence;
};

struct undelete {
	struct f2fs_past *past;
	struct f2fs_volume *vol;
	struct f2fs_context *ctx;
	const struct f2fs_undelete_options *options;
	struct f2fs_undelete_result result;
	struct f2fs_progress progress;
	uint8_t *buffer; /* UNDELETE_PIECE bytes */
	bool is_missed;	 /* something was left out or is missing */

	/* to the host */
	struct host_tree host;
	struct vec noted; /* struct noted_dir */

	/* into the volume */
	struct f2fs_device *store;
	uint64_t end; /* of the store */
	struct staged *first, **last;
};

#define UNDELETE_PIECE ((size_t)1 << 20)

static inline bool undelete_has(const struct undelete *u, unsigned flag)
{
	return (u->options->flags & flag) != 0;
}

#endif
