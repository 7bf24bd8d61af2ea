/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Wipe the signatures of the device's old contents, so that no program finds them, and stay within the limits of a
 * partition table. f2fs_device_signature() finds signatures.
 */
#ifndef F2FSKIT_MKFS_SIGNATURE_H
#define F2FSKIT_MKFS_SIGNATURE_H

#include "cli/host.h"

/*
 * Find the limit of a volume that begins at offset, so that it does not overwrite its neighbours in a partition table:
 * the end of the partition that contains offset, the next one, or the second copy of the table. Returns 0 with *end in
 * bytes (UINT64_MAX: nothing is in the way) and whether offset is inside a partition that begins before it; -1 after a
 * message.
 */
int signature_limit(struct cli *cli, const char *path, uint64_t offset, uint64_t *end, int *is_inside);
/* Wipe all, copies at other places included. Returns 0, or -1 after a message. */
int signature_wipe(struct cli *cli, const char *path, uint64_t offset, uint64_t size);

#endif
