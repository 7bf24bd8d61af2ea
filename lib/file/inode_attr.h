/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check owners.
 */
#ifndef F2FSKIT_FILE_INODE_ATTR_H
#define F2FSKIT_FILE_INODE_ATTR_H

#include "base/context.h"

/* Fail with RANGE for an owner that nobody can be: the kernel cannot remove such a file from a volume with quotas. */
int owner_check(struct f2fs_context *ctx, uint32_t uid, uint32_t gid, uint32_t projid);

#endif
