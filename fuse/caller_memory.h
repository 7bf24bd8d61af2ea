/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The memory of the process that has called ioctl(2). FUSE copies as many bytes of the argument as the number of the
 * command says, in the direction that it names. Some commands of file systems name less, or the wrong one.
 */
#ifndef F2FSKIT_FUSE_CALLER_MEMORY_H
#define F2FSKIT_FUSE_CALLER_MEMORY_H

#include "fuse/mount.h"

/* Where the argument of a call is. */
struct caller {
	const struct mount *m;
	pid_t process;	  /* or a thread of it; 0: one that this program cannot see */
	uint64_t address; /* of the argument */
};

/*
 * Copy bytes that begin `offset` bytes into the argument. Returns 0; EFAULT if there is no such memory; ENOTTY if this
 * program may not look at the caller, or looks at another caller just now.
 * Never call these with the lock held: the memory may be a mapped file of this mount, whose bytes are a request, too.
 */
int caller_read(const struct caller *caller, uint64_t offset, void *to, size_t size);
int caller_write(const struct caller *caller, uint64_t offset, const void *from, size_t size);

#endif
