/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Look ahead in a directory of the host: workers examine, open and read the next entries while the caller uses the
 * current one. A result is a hint. The caller does itself whatever is missing, and meets the errors then.
 */
#ifndef F2FSKIT_SOURCE_AHEAD_H
#define F2FSKIT_SOURCE_AHEAD_H

#include <sys/stat.h>

#include "source/hostnames.h"

/* Results for one entry. */
struct ahead_entry {
	bool has_stat, has_no_attributes;
	bool has_bytes; /* all contents of a file, or the target of a symbolic link */
	int fd;		/* open on a regular file, or -1 */
	struct stat st;
	const char *bytes;
	size_t length;
};

struct ahead;

/* How far files are examined. */
enum ahead_depth {
	AHEAD_STAT, /* they stay closed, because the caller may not want them */
	AHEAD_OPEN, /* open, but contents do not matter */
	AHEAD_READ
};

/* Start the workers. keep: enum f2fs_keep. *out is NULL if the host has one processor. Fails with NOMEM. */
int ahead_new(struct f2fs_context *ctx, unsigned keep, enum ahead_depth depth, struct ahead **out);
/* Drop all results and end the workers. NULL is allowed. */
void ahead_free(struct ahead *ahead);
/*
 * Take the results for names[index] in the directory that is open as at; names beyond it may be examined from now on.
 * Returns NULL if there are none. They are valid until the next call. The caller may keep fd, and then sets it to -1.
 */
struct ahead_entry *ahead_take(struct ahead *ahead, int at, struct host_name *const *names, size_t count, size_t index);
/* Wait for the workers and drop all results. Call it before a directory or its names go away. */
void ahead_drop(struct ahead *ahead);

#endif
