/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The devices of a new volume: opened and examined first, and changed (created, grown, wiped) only once everything is
 * known to work.
 */
#ifndef F2FSKIT_MKFS_TARGET_H
#define F2FSKIT_MKFS_TARGET_H

#include "arguments.h"

struct target {
	struct f2fs_device *device; /* the device to format; a stand-in for a file still to be made or grown */
	struct f2fs_device *found;  /* the file that is to be grown, for its lock; NULL: none is */
	const char *path;
	uint64_t size;		/* bytes of the volume from offset; 0: up to the end of the device */
	uint64_t new_file_size; /* the file is to be created or grown to this; 0: it is not */
	int is_new, is_created; /* no such file; it was made here */
	int has_signatures;
	uint64_t id[2]; /* the host's numbers of the file or device, 0 when there is none yet */
};

/*
 * Open device number i into targets[i], exclusively unless it is a dry run, and look for signatures: those stop it
 * unless they may be overwritten. Nothing is changed. Returns 0, or -1 after a message.
 */
int target_open(struct target *targets, unsigned i, struct cli *cli, struct f2fs_context *ctx,
		const struct arguments *a);
/* Create or grow the file, wipe signatures. Returns 0, or -1 after a message. */
int target_prepare(struct target *t, struct cli *cli, struct f2fs_context *ctx, const struct arguments *a);
/* Wipe the superblocks of the new volume. */
int target_unmake(const struct target *t);
/* Cut a file that is longer than the volume. */
int target_cut(const struct target *t, struct cli *cli, const struct arguments *a);
/* Close; a file created here is removed when the volume was not made. */
void target_close(struct target *t, int is_made);

#endif
