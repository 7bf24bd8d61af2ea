/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change a block for a metadata image.
 */
#ifndef F2FSKIT_FORENSICS_META_SCRUB_H
#define F2FSKIT_FORENSICS_META_SCRUB_H

#include "forensics/meta.h"

/* Change a block of the main area to its form in the image. Fails with CANCELED. */
int meta_scrub(const struct meta_plan *plan, f2fs_blk_t addr, uint8_t *block);
/* Does an inode hold contents of a file, which are left out? */
bool meta_has_contents(const struct meta_plan *plan, const uint8_t *block);
/* Is it a symlink, or was it one before its mode was damaged? */
bool meta_is_link(const uint8_t *block);
bool meta_is_quota(const struct meta_plan *plan, f2fs_nid_t ino);

#endif
