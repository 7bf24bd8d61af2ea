/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Ask and set the state of a transaction: sound, failed half-way, or uncertain.
 */
#ifndef F2FSKIT_LOG_TXN_STATE_H
#define F2FSKIT_LOG_TXN_STATE_H

#include "log/run.h"

/* Is it unknown whether the last commit is permanent? */
bool txn_is_uncertain(const struct f2fs_volume *vol);
/* The last step of a commit, or of an fsync, failed with err: record and return UNCERTAIN, with the reason. */
int txn_uncertain_commit(struct f2fs_volume *vol, int err);
int txn_uncertain_fsync(struct f2fs_volume *vol, int err);

/* Something failed half-way, for the reason that the context has: the transaction is good for txn_drop() only. */
void txn_fail(struct txn *txn);
/* Fail with STATE, and say why, when that has happened. */
int txn_need_sound(const struct txn *txn);

#endif
