/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Describe the remaining versions of an inode.
 */
#ifndef F2FSKIT_FORENSICS_VERSION_LIST_H
#define F2FSKIT_FORENSICS_VERSION_LIST_H

#include "forensics/past.h"

/* Describe the version at addr. */
int version_describe(struct f2fs_past *past, f2fs_blk_t addr, struct f2fs_version *out);

#endif
