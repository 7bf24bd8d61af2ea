/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The user of a file or block device of the host: a mount, swap, a loop device, a holder such as device mapper.
 */
#ifndef F2FSKIT_DEVICE_INUSE_H
#define F2FSKIT_DEVICE_INUSE_H

#include <sys/stat.h>

#include "base/context.h"

/* The host's tables of mounts and devices; tests give copies. */
struct inuse_host {
	const char *mountinfo; /* "/proc/self/mountinfo" */
	const char *swaps;     /* "/proc/swaps" */
	const char *sys;       /* "/sys" */
};

extern const struct inuse_host inuse_here;

/* The intended use of the file or device. */
enum inuse_purpose {
	INUSE_WRITING = 0,
	INUSE_READING = 1 /* it may be in use, as long as nobody can write to it: a read-only mount */
};

/* Fail with F2FS_ERR_BUSY and the user's name when the file or block device st (found at path) is in use. */
int inuse_refuse(struct f2fs_context *ctx, const char *path, const struct stat *st, enum inuse_purpose purpose);
int inuse_refuse_on(const struct inuse_host *host, struct f2fs_context *ctx, const char *path, const struct stat *st,
		    enum inuse_purpose purpose);
/* Find the file of a loop device, or of the disk of a partition; false: it is none, or the name has no room. */
bool inuse_backing(const struct inuse_host *host, dev_t rdev, char *path, size_t room);
/* Replace the identity of a loop device by that of the file or device that it finally shows. */
void inuse_behind(const struct inuse_host *host, struct stat *st);

#endif
