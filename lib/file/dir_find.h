/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find names in directories.
 */
#ifndef F2FSKIT_FILE_DIR_FIND_H
#define F2FSKIT_FILE_DIR_FIND_H

#include "file/object.h"

/* Look up a name as f2fs_dir_lookup() does; NOT_FOUND, not recorded, when it is not there. */
int dir_find(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
/* Look up a name as it is stored, by its hash; folded where the directory folds names that can be read. NOT_FOUND, not
 * recorded, when it is not there. */
int dir_find_stored(struct f2fs_inode *dir, const uint8_t *name, size_t length, uint32_t hash, struct f2fs_dirent *out);

/*
 * Find a name that folds to the same as this one, but to more than a search by the hash can compare: the kernel, which
 * keeps names in memory by their whole folded forms, would take one for the other. NOT_FOUND, not recorded, for none.
 */
int dir_find_twin(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);
/* f2fs_dir_lookup() without forgetting the last error. */
int dir_lookup(struct f2fs_inode *dir, const char *name, size_t length, struct f2fs_dirent *out);

#endif
