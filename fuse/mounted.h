/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take and release the lock, and do under it: times, messages, errors, checkpoints, stats.
 */
#ifndef F2FSKIT_FUSE_MOUNTED_H
#define F2FSKIT_FUSE_MOUNTED_H

#include "fuse/mount.h"

/*
 * Take the lock: for a request that does not count as use, for any other one, or for one that changes the volume. The
 * last also sets the time that it stamps.
 */
struct mount *mount_enter_quietly(fuse_req_t req);
struct mount *mount_enter(fuse_req_t req);
struct mount *mount_enter_to_change(fuse_req_t req);
void mount_leave(struct mount *m);
/* The kernel's own clock for files: coarse, so that inodes that are written often change less often. */
void mount_time(const struct mount *m, struct f2fs_time *now);
/* Before the lock is dropped by anybody else who may have written checkpoints. */
void mount_count_checkpoints(struct mount *m);
/* Monotonic time, nanoseconds. */
int64_t mount_clock(void);
/* Write a message to syslog, or to standard error in the foreground. */
void mount_say(struct mount *m, const char *format, ...) CLI_PRINTF(2, 3);
/*
 * Turn the library's error into the errno for the kernel. An error that makes the transaction useless stops all
 * writing, with one message. Changes and fsync then fail with EIO. Call it with the lock held.
 */
int mount_errno(struct mount *m, int err);
/* Write a checkpoint; an error of the library. */
int mount_checkpoint(struct mount *m);
/* The same; an errno. */
int mount_commit(struct mount *m);
/* Fill a stat from an inode, with the owners and permissions from the options. */
int mount_stat(struct mount *m, struct f2fs_inode *inode, struct f2fs_stat *raw, struct stat *out);

#endif
