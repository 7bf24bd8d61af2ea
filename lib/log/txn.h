/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Start and drop a transaction.
 */
#ifndef F2FSKIT_LOG_TXN_H
#define F2FSKIT_LOG_TXN_H

#include "log/derive.h"
#include "log/run.h"

/*
 * Start a transaction; nothing happens when one is running. ops: NULL when the layer above has no part in it (that
 * starts its own with change_start()). Fails with READ_ONLY (also: locked by the feature ro), STATE (needs recovery,
 * carries errors), UNSUPPORTED (zones of the device do not fit).
 */
int txn_begin(struct f2fs_volume *vol, const struct txn_ops *ops);
/* The same on a volume that is locked by the feature ro (volume_is_locked()), to turn that on or off. */
int txn_begin_locked(struct f2fs_volume *vol, const struct txn_ops *ops);
/* The same on a volume that waits for recovery, or whose checkpointing is disabled; the commit ends that state. */
int txn_begin_recovery(struct f2fs_volume *vol, const struct txn_ops *ops);
/* Forget everything since the last commit. */
void txn_drop(struct f2fs_volume *vol);

static inline struct txn *txn_of(const struct f2fs_volume *vol)
{
	return vol->txn;
}
/* Does the running transaction hold no change yet? */
static inline bool txn_is_fresh(const struct f2fs_volume *vol)
{
	return vol->txn->begun == vol->generation;
}
/* Start a transaction on the facts of a repair; the volume may be in any state. The commit clears the flags that ask
 * for a check. */
int txn_begin_from(struct f2fs_volume *vol, const struct txn_ops *ops, const struct txn_truth *truth);

#endif
