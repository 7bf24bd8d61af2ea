/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The thread that writes checkpoints and runs GC when idle.
 */
#ifndef F2FSKIT_FUSE_KEEPER_H
#define F2FSKIT_FUSE_KEEPER_H

#include "fuse/mount.h"

/* Start the thread that writes checkpoints and runs GC when idle. 0, or an errno. */
int keeper_start(struct mount *m);
void keeper_stop(struct mount *m);

#endif
