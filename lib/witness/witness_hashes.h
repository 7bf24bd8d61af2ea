/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the name that an entry must have had for its hash.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_HASHES_H
#define F2FSKIT_WITNESS_WITNESS_HASHES_H

#include "facts/facts.h"

struct dentry_area;
struct own_name;

/*
 * Find the name that an entry must have had for its hash: one bit or the length is another. false: there is none, or
 * more than one, or one bit of the hash itself is wrong.
 */
bool hash_solve(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot, struct own_name *out);
/* Does a name with the entry's hash differ from its own by one bit or in length? There may be several such names. */
bool hash_is_near(const struct inode_fact *dir, const struct dentry_area *area, uint32_t slot);

#endif
