/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep memory bounded between and within changes.
 */
#ifndef F2FSKIT_FILE_CHANGE_TRIM_H
#define F2FSKIT_FILE_CHANGE_TRIM_H

#include "file/winode.h"

/* Between two changes: keep memory bounded; nodes that were got before must be got again. */
int change_trim(struct txn *txn);
/* Within a change that touches many nodes: keep memory bounded; w is got again. */
int winode_breathe(struct winode *w);

#endif
