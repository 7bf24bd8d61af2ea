/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Signatures of what a device held before: found, so that nothing is overwritten by mistake, and wiped, so that nobody
 * takes the device for what it was.
 */
#ifndef F2FSKIT_MKFS_SIGNATURE_H
#define F2FSKIT_MKFS_SIGNATURE_H

#include "cli/host.h"

#define SIGNATURE_TEXT 256

/*
 * Look at size bytes from offset. Returns 1 and a phrase ("an ext4 file system labelled 'root'"), 0 when there is
 * nothing known, or -1 after a message.
 */
int signature_find(struct cli *cli, const char *path, uint64_t offset, uint64_t size, char what[SIGNATURE_TEXT]);
/*
 * Where what begins at offset has to end, lest it be written over its neighbours in a partition table: the end of the
 * partition that offset lies in, the next one, or the second copy of the table. Returns 0 with *end in bytes
 * (UINT64_MAX: nothing is in the way) and whether offset is inside a partition that begins before it; -1 after a
 * message.
 */
int signature_limit(struct cli *cli, const char *path, uint64_t offset, uint64_t *end, int *is_inside);
/* Wipe all, copies at other places included. Returns 0, or -1 after a message. */
int signature_wipe(struct cli *cli, const char *path, uint64_t offset, uint64_t size);

#endif
