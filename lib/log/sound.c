/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Whether a transaction can still be committed: what failed half-way leaves it only good for being dropped.
 */
#include <stdio.h>

#include "log/log.h"

void txn_fail(struct txn *txn)
{
	const struct f2fs_error_detail *why = &txn->vol->ctx->error;

	txn->failed = true;
	if (why->code && why->code != F2FS_ERR_STATE && !txn->cause[0])
		snprintf(txn->cause, sizeof(txn->cause), "%.159s", why->message);
}

int txn_need_sound(const struct txn *txn)
{
	if (!txn->failed)
		return 0;
	return error_set(txn->vol->ctx, F2FS_ERR_STATE,
			 "a call failed half-way%s%s%s: the changes since the last commit can only be discarded",
			 txn->cause[0] ? " (" : "", txn->cause, txn->cause[0] ? ")" : "");
}
