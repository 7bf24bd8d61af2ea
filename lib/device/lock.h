/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks on image files: a writer holds one, so that there is one writer at a time.
 */
#ifndef F2FSKIT_DEVICE_LOCK_H
#define F2FSKIT_DEVICE_LOCK_H

#include <sys/stat.h>

#include "base/context.h"

enum { LOCK_TEXT = 100 };

/* Lock an open file for writing. Fails with BUSY, naming the holder where the host knows it. Without a lock where the
 * host or the file system has none. */
int lock_take(struct f2fs_context *ctx, const char *path, int fd);
/* Give the lock up before the descriptor is closed: a process that was forked meanwhile may have it open, too. */
void lock_drop(int fd);
/* Does somebody hold such a lock on an open file? who: "process 12 (name)", or "another program". */
bool lock_is_held(int fd, char who[LOCK_TEXT]);
/* Find the process that has a file or block device open. needs_lock: only one that holds a lock on it. */
void lock_find_holder(const struct stat *st, bool needs_lock, char who[LOCK_TEXT]);

#endif
