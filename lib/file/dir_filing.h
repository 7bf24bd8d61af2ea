/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep which names of casefolded directories a search by their hash does not find.
 */
#ifndef F2FSKIT_FILE_DIR_FILING_H
#define F2FSKIT_FILE_DIR_FILING_H

#include "file/object.h"

/* May a directory have a name of this hash that a search by the hash does not find? No is certain. */
int filing_may_have(struct f2fs_inode *dir, uint32_t hash, bool *out);
/* Hash the whole folded form of a name that folds to more than a search can compare; false: it does not. */
bool filing_whole_hash(const uint8_t *name, size_t length, uint32_t *hash);
/* A name was put into a directory, under its hash. */
int filing_add(struct f2fs_volume *vol, f2fs_nid_t dir, const uint8_t *name, size_t length);
/* Entries of a directory were changed otherwise. */
void filing_forget(struct f2fs_volume *vol, f2fs_nid_t dir);

#endif
