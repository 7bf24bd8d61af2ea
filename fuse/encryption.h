/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Encrypted files of a mount: their stored contexts, which keys are there, and the kernel's cache, which knows neither.
 */
#ifndef F2FSKIT_FUSE_ENCRYPTION_H
#define F2FSKIT_FUSE_ENCRYPTION_H

#include "fuse/mount.h"

struct ioctl_call;

/* As stored: a version, the policy and, in the last 16 bytes, a nonce. */
struct encryption_context {
	uint8_t bytes[64];
	size_t size;
};

/* Read the context of an inode. NO_ATTR for one that is not encrypted. */
int encryption_read(struct f2fs_inode *inode, struct encryption_context *out);
/* Was the key of this descriptor or identifier added? */
int encryption_has_key(struct mount *m, const uint8_t *name, size_t length);
/* Does the directory show names in a form for want of its key, and other ones as soon as the key comes? */
int encryption_hides_names(struct mount *m, const struct known *dir);
/*
 * Make the kernel write and drop its cache of encrypted inodes. Call it without the lock, as it may wait for
 * other requests. Returns 0, or ENOTTY where requests are served one at a time.
 */
int encryption_forget(struct ioctl_call *call);

#endif
