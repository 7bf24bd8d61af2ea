/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Atomic writes: from F2FS_IOC_START_ATOMIC_WRITE on, the blocks that are written to a file wait in memory, until a
 * commit makes all of them durable in one step, or an abort drops them. They are dropped, too, when the process that
 * has started ends without a commit.
 */
#ifndef F2FSKIT_FUSE_ATOMIC_FILE_H
#define F2FSKIT_FUSE_ATOMIC_FILE_H

#include "fuse/mount.h"

/* Begin for a process; nothing happens if it has begun already. */
int atomic_start(struct mount *m, struct known *k, pid_t process);
/* Write the waiting blocks, then end. After a failure nothing is written. */
int atomic_commit(struct mount *m, struct known *k, uid_t caller);
/* Drop the waiting blocks. */
void atomic_abort(struct mount *m, struct known *k);
/* Do writes to the file wait now? */
int atomic_is_on(struct mount *m, struct known *k);
/* Read and write a file for which they do. */
int atomic_read(struct mount *m, struct known *k, uint64_t offset, char *to, size_t size, size_t *done);
int atomic_write(struct mount *m, struct known *k, uint64_t offset, const char *from, size_t size);
/* Drop the writes of processes that have ended. */
void atomic_look(struct mount *m);
/*
 * Make the kernel read files again whose writes were dropped. Call it without the lock, after the answer.
 */
void atomic_refresh(struct mount *m);
/* Drop everything at the end of the mount. */
void atomic_fini(struct mount *m);

#endif
