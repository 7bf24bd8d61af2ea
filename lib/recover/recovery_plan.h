/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Plan a recovery: which nodes of the chain count.
 */
#ifndef F2FSKIT_RECOVER_RECOVERY_PLAN_H
#define F2FSKIT_RECOVER_RECOVERY_PLAN_H

#include "recover/run.h"

/* The inode that node number i counts for, or NULL when it does not. */
struct chain_inode *chain_counts(const struct f2fs_recovery *plan, size_t i);
/* Number of listed entries that a recovery deletes. */
uint32_t chain_deletes(const struct f2fs_recovery *plan);

/* f2fs_recovery_open() without clearing the last error. kept: listed orphans that stay, NULL: find out which. */
int recovery_plan(struct f2fs_volume *vol, const struct map32 *kept, struct f2fs_recovery **out);
/* Is there anything that keeps the volume from being changed? */
bool recovery_is_needed(const struct f2fs_recovery *plan);

#endif
