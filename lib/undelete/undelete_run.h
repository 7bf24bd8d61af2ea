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

#define POLICY_MAX 24 /* bytes of an encryption context without the nonce */
enum { TARGET_ROOM = 16385 };

/* How something is encrypted: the bytes of its context that are the same for all of a tree; none: not at all. */
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
	int top;	  /* the directory; -1 */
	struct vec made;  /* char *: paths of directories that the run made */
	struct vec noted; /* struct noted_dir */

	/* into the volume */
	struct f2fs_device *store;
	uint64_t end; /* of the store */
	struct staged *first, **last;
};

#define UNDELETE_PIECE ((size_t)1 << 20)

/* undelete_report.c */
static inline bool undelete_has(const struct undelete *u, unsigned flag)
{
	return (u->options->flags & flag) != 0;
}
/* Is it an error that ends the run, whichever file it is about? */
bool undelete_ends(int err);
/* Report about a file; the error in the context is the detail of what failed. Returns 0 or CANCELED. */
int undelete_report(struct undelete *u, const char *path, unsigned outcome, uint64_t count);
int undelete_report_failed(struct undelete *u, const char *path, unsigned outcome, const char *what);
/* Report that a file is back, with what is missing of it, and count it. lost: blocks, blank ones included unless they
 * are contents; attributes that are lost were reported already. */
int undelete_report_back(struct undelete *u, const char *path, int confidence, uint64_t lost, uint64_t blank,
			 uint64_t lost_attributes);
unsigned undelete_open_flags(const struct undelete *u);

/* host_copy.c */
int undelete_host_open(struct undelete *u);
int undelete_host_put(struct undelete *u, const struct f2fs_deleted *file);
/* Set the attributes of directories and let go of what is held. */
void undelete_host_close(struct undelete *u);

/* stage.c */
int undelete_stage_open(struct undelete *u);
/* Keep a file as it is at the block of its inode. */
int undelete_stage_take(struct undelete *u, const struct f2fs_deleted *file);
/* Write the contents of a regular file; blocks of zeros stay holes. */
int undelete_stage_write(struct undelete *u, const struct staged *s, struct f2fs_inode *inode);
/* Have directories come first, upper ones before those in them. */
int undelete_stage_sort(struct undelete *u);
void undelete_stage_close(struct undelete *u);
void undelete_policy_of(struct f2fs_inode *inode, struct undelete_policy *out);

/* put_back.c */
/* Make all that is staged below a directory of the volume. */
int undelete_put_back(struct undelete *u, const char *top);

#endif
