/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show a plan of a recovery.
 */
#ifndef F2FSKIT_RECOVER_PLAN_SHOW_H
#define F2FSKIT_RECOVER_PLAN_SHOW_H

#include "recover/run.h"

/* Inode number index of those that count; NULL, with NOT_FOUND recorded, past the last. */
const struct chain_inode *recovery_find_inode(const struct f2fs_recovery *plan, uint32_t index);

#endif
