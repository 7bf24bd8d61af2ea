/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Access times. The kernel leaves them to the program that serves a FUSE mount, which only learns of reads that the
 * kernel's cache does not answer.
 */
#ifndef F2FSKIT_FUSE_ACCESS_TIMES_H
#define F2FSKIT_FUSE_ACCESS_TIMES_H

#include "fuse/mount.h"

/* An open inode was read: set its access time if the options say so. Call it with the lock held. */
void access_note(struct mount *m, struct f2fs_inode *inode);

#endif
