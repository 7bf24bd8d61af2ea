/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the directory whose entries a block holds.
 */
#ifndef F2FSKIT_WITNESS_DIR_HOME_H
#define F2FSKIT_WITNESS_DIR_HOME_H

#include "facts/run.h"

/*
 * Find the directory that the entries of a block belong to, by "." and by the directories that their inodes remember.
 * It may be lost. 0: nothing says it, as inodes with several names do not. false: these do not agree, or it is no block
 * of entries. Needs the facts of all inodes. Reads nothing.
 */
bool dir_home(const struct checker *c, const uint8_t *block, f2fs_nid_t *out);
/* Has each entry of a block its place in this file block of the directory? */
bool dir_home_fits(const struct checker *c, const struct inode_fact *dir, uint32_t number, const uint8_t *block);

#endif
