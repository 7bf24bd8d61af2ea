/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A new quota file (FORMAT files 9.3).
 */
#ifndef F2FSKIT_MKFS_QUOTA_H
#define F2FSKIT_MKFS_QUOTA_H

#include "mkfs/run.h"

/* Fill a quota file (MKFS_QUOTA_BYTES, zeroed) of a kind with the usage of its one id. */
void mkfs_fill_quota(uint8_t *file, unsigned kind, uint32_t id, uint64_t inodes, uint64_t bytes);

#endif
