/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Answer with entries and attributes.
 */
#ifndef F2FSKIT_FUSE_SERVE_INODES_H
#define F2FSKIT_FUSE_SERVE_INODES_H

#include "fuse/mount.h"

/* Fill the answer to a lookup and take the reference for it. An error of the library. */
int entry_fill(struct mount *m, const struct known *dir, f2fs_nid_t ino, struct fuse_entry_param *out);
/* Answer with an entry. The reference is dropped again when the answer is not delivered. */
void entry_reply(fuse_req_t req, struct mount *m, const struct fuse_entry_param *entry);
/* How long the kernel may remember names of a directory, seconds. */
double entry_timeout(struct mount *m, const struct known *dir);

/*
 * Answer with attributes and the time of birth, NULL for none: a stat has no room for it, so the kernel asks apart.
 * Defined from libfuse 3.18 on.
 */
void stat_reply_statx(fuse_req_t req, const struct stat *st, const struct f2fs_time *birth, double timeout);

#endif
