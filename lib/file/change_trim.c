/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keeping memory bounded between two steps of a change: nodes and blocks that wait are written when there are too many.
 */
#include "file/change_trim.h"
#include "file/pages_flush.h"
#include "file/winode.h"
#include "file/write.h"
#include "log/nodes.h"

#define MAX_PAGES 4096u /* waiting blocks of all files before they are written */

int change_trim(struct txn *txn)
{
	int err = nodes_trim(txn);

	return !err && txn->waiting_blocks > MAX_PAGES ? pages_end_rounds(txn, MAX_PAGES) : err;
}

int winode_breathe(struct winode *w)
{
	f2fs_nid_t ino = w->node->nid;
	int err = change_trim(w->txn);

	return err ? err : winode_get(w->txn->vol, ino, w);
}
