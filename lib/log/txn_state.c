/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The state of a transaction: sound, failed half-way, or uncertain. A call that fails after it has changed something
 * leaves the transaction good for a rollback only.
 */
#include <stdio.h>

#include "base/error.h"
#include "log/run.h"
#include "log/txn_state.h"

void txn_fail(struct txn *txn)
{
	const struct f2fs_error_detail *why = &txn->vol->ctx->error;

	txn->failed = true;
	if (why->code && why->code != F2FS_ERR_STATE && !txn->cause[0])
		snprintf(txn->cause, sizeof(txn->cause), "%.159s", why->message);
}

bool txn_is_uncertain(const struct f2fs_volume *vol)
{
	return vol->uncertain_addr != 0;
}

static int uncertain(struct f2fs_volume *vol, int err, const char *what, const char *advice)
{
	const struct f2fs_error_detail why = vol->ctx->error;
	const bool has_reason = err && why.code == err;

	error_set(vol->ctx, F2FS_ERR_UNCERTAIN,
		  "the last step of %s failed%s%.160s%s: it is not known whether %s", what,
		  has_reason ? " (" : "", has_reason ? why.message : "", has_reason ? ")" : "", advice);
	vol->ctx->error.sys_errno = has_reason ? why.sys_errno : 0;
	return F2FS_ERR_UNCERTAIN;
}

int txn_uncertain_commit(struct f2fs_volume *vol, int err)
{
	return uncertain(vol, err, "the commit",
			 vol->txn ? "the changes are permanent (commit again, or roll them back)"
				  : "the changes are permanent (open the volume again)");
}

int txn_uncertain_fsync(struct f2fs_volume *vol, int err)
{
	return uncertain(vol, err, "the fsync", "a recovery finds the file (roll the changes back)");
}

int txn_need_sound(const struct txn *txn)
{
	if (!txn->failed)
		return 0;
	if (txn->vol->uncertain_addr)
		return error_set(txn->vol->ctx, F2FS_ERR_STATE,
				 "whether the last commit is permanent is not known: commit again, or roll back");
	return error_set(txn->vol->ctx, F2FS_ERR_STATE,
			 "a call failed half-way%s%s%s: the changes since the last commit can only be rolled back",
			 txn->cause[0] ? " (" : "", txn->cause, txn->cause[0] ? ")" : "");
}
