/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find listed orphans that still have a name.
 */
#ifndef F2FSKIT_RECOVER_ORPHAN_LINKS_H
#define F2FSKIT_RECOVER_ORPHAN_LINKS_H

#include "volume/volume.h"

/* Does the directory that an inode's block remembers name the inode? Damage on the way there means no. */
int inode_find_named(struct f2fs_volume *vol, f2fs_nid_t ino, const uint8_t *block, bool *is_named);
/* Add to linked the listed orphans that a directory names (orphan_links.c). */
int orphans_find_linked(struct f2fs_volume *vol, struct map32 *linked);

#endif
