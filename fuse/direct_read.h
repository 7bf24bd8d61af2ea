/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Reads beside the lock. Blocks of a file that has not changed since the last checkpoint stay where they are until the
 * next one at least, so a thread can read them from the image while others work on the volume.
 */
#ifndef F2FSKIT_FUSE_DIRECT_READ_H
#define F2FSKIT_FUSE_DIRECT_READ_H

#include "fuse/mount.h"

/* Open the image for such reads, unless its bytes are not those of the volume (a sparse file, a layer). */
void direct_read_open(struct mount *m, uint64_t offset);
void direct_read_close(struct mount *m);
enum direct_answer {
	DIRECT_NONE, /* read with the library */
	DIRECT_READ, /* the caller answers with *buffer and *done */
	DIRECT_SENT  /* the request is answered */
};
/*
 * Read as f2fs_inode_read(). Called with the lock held, and returns with it. It may drop the lock in between, so
 * handles that the caller had may be closed. *buffer is NULL before, and the caller's to free.
 */
enum direct_answer direct_read(struct mount *m, fuse_req_t req, fuse_ino_t number, uint64_t offset, size_t size,
			       char **buffer, size_t *done);

#endif
