/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find room for new entries of directories.
 */
#ifndef F2FSKIT_FILE_DIR_ROOM_H
#define F2FSKIT_FILE_DIR_ROOM_H

#include "file/winode.h"
#include "format/dentry.h"

/* A name on its way into a directory. */
struct new_entry {
	const uint8_t *name;
	uint32_t len, hash;
	f2fs_nid_t ino;
	uint8_t type;
	bool is_stored; /* by a recovery or a repair, which know what was removed */
};

/* Find free slots of an area for an entry, besides those of names that are only marked as removed; area->slots when
 * there are none. */
int dir_find_room(struct winode *dir, const struct dentry_area *area, const struct new_entry *e, uint32_t *slot);

#endif
