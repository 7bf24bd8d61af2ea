/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy bytes from and to the memory of a caller. It waits for the answer meanwhile, so its process stays there. As its
 * memory may be a file of this mount, a copy may need further requests served. So one thread does this at a time, and
 * none where there is only one.
 */

#include <errno.h>
#include <sys/uio.h>

#include "fuse/caller_memory.h"

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

typedef ssize_t copy_function(pid_t pid, const struct iovec *local, unsigned long local_count,
			      const struct iovec *remote, unsigned long remote_count, unsigned long flags);

static int copy(const struct caller *caller, copy_function *function, uint64_t offset, void *bytes, size_t size)
{
	const struct iovec local = { bytes, size };
	const struct iovec remote = { (void *)(uintptr_t)(caller->address + offset), size };
	ssize_t done;
	int code;

	if (caller->process <= 0 || pthread_mutex_trylock(&one_at_a_time) != 0)
		return ENOTTY;
	done = function(caller->process, &local, 1, &remote, 1, 0);
	code = done >= 0 || errno == EFAULT ? EFAULT : ENOTTY;
	pthread_mutex_unlock(&one_at_a_time);
	return done == (ssize_t)size ? 0 : code;
}

int caller_read(const struct caller *caller, uint64_t offset, void *to, size_t size)
{
	return copy(caller, process_vm_readv, offset, to, size);
}

int caller_write(const struct caller *caller, uint64_t offset, const void *from, size_t size)
{
	return copy(caller, process_vm_writev, offset, (void *)(uintptr_t)from, size);
}
