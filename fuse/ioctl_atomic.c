/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ioctls of atomic writes, as databases use them: start, commit, abort.
 */
#include <linux/f2fs.h>

#include "fuse/atomic_file.h"
#include "fuse/caller_memory.h"
#include "fuse/ioctl.h"
#include "fuse/mount.h"

static int start(struct ioctl_call *call)
{
	return atomic_start(call->m, call->known, call->caller.process);
}

static int commit(struct ioctl_call *call)
{
	return atomic_commit(call->m, call->known, call->user);
}

static int abort_(struct ioctl_call *call)
{
	atomic_abort(call->m, call->known);
	return 0;
}

enum { NEEDS = IOCTL_CHANGES | IOCTL_OWNER | IOCTL_REGULAR };

const struct ioctl_kind ioctls_of_atomic_files[] = {
	IOCTL(F2FS_IOC_START_ATOMIC_WRITE, NEEDS, 0, 0, start),
	IOCTL(F2FS_IOC_COMMIT_ATOMIC_WRITE, NEEDS, 0, 0, commit),
	IOCTL(F2FS_IOC_ABORT_ATOMIC_WRITE, NEEDS, 0, 0, abort_),
	{ 0 },
};
