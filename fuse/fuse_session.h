/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From an open volume to answered requests: the kernel's mount, the background, signals, the loop.
 */
#ifndef F2FSKIT_FUSE_FUSE_SESSION_H
#define F2FSKIT_FUSE_FUSE_SESSION_H

#include "fuse/mount.h"

struct session_options {
	const char *mountpoint;
	char *passed; /* options for libfuse, comma-separated; NULL: none */
	int is_debug, is_single, gathers_writes;
};

/*
 * Continue in a child. The parent waits for the child's word that the mount is there or has failed, and exits. Returns
 * 0 in the child, or -1 after a message. The child still has the caller's standard error and directory.
 */
int session_fork(struct cli *cli, int failure);
/* Mount, and answer requests until the volume is unmounted or a signal comes. 0, or -1 after a message. */
int session_run(struct mount *m, const struct session_options *options);

#endif
