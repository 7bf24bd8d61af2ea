/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Recover a volume in one transaction.
 */
#ifndef F2FSKIT_RECOVER_RECOVER_H
#define F2FSKIT_RECOVER_RECOVER_H

#include <f2fskit/recover.h>

#include "volume/volume.h"

struct txn_keep;

/*
 * For a repair: another base of the transaction than the tables of the checkpoint, and inodes that are left alone,
 * because damage prevented the recovery from changing them.
 */
struct recovery_base {
	void *user;
	int (*begin)(void *user, const struct txn_keep *keep);
	const struct vec *left;	  /* f2fs_nid_t */
	const struct map32 *kept; /* entries of the list of orphans that nothing is done about */
	f2fs_nid_t failed;	  /* out: the inode that it failed at; 0: at none, or it did not fail */
};
/*
 * Recover as f2fs_recover() does (base is NULL), or on a base. On a base, a chain that runs in a circle is recovered up
 * to the circle. Without a base a listed orphan that a directory names is an error.
 */
int recovery_apply_on(struct f2fs_volume *vol, struct recovery_base *base, struct f2fs_recover_result *result);
/* Do the same for a view in memory, which shows such an orphan. */
int recovery_apply_view(struct f2fs_volume *vol);

#endif
