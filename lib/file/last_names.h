/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Remember the greatest name of directories that are being filled: a name beyond it is absent without a search.
 */
#ifndef F2FSKIT_FILE_LAST_NAMES_H
#define F2FSKIT_FILE_LAST_NAMES_H

#include "file/object.h"

/* Begin with a new directory, which has "." and "..". */
int last_names_begin(struct f2fs_volume *vol, f2fs_nid_t dir);
/* Note a name that is put into a directory, as it is stored. */
void last_names_add(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length);
/* Is a stored name greater than all names of a directory? False also when that is not known. */
bool last_names_are_before(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length);
/* Forget a directory whose entries change otherwise. */
void last_names_forget(struct f2fs_volume *vol, f2fs_nid_t dir);

#endif
