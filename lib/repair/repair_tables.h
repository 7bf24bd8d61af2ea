/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Make the tables as the facts have them.
 */
#ifndef F2FSKIT_REPAIR_REPAIR_TABLES_H
#define F2FSKIT_REPAIR_REPAIR_TABLES_H

#include "repair/repair.h"

struct txn_keep;

/* Start the transaction, and make tables as the facts have them. */
int repair_tables(struct repair *r);
/*
 * Parts of it for a recovery. First the transaction alone; keep: the blocks that it must not overwrite. Then the
 * summaries.
 */
int repair_begin(struct repair *r, const struct txn_keep *keep);
int repair_summaries(struct repair *r);
/* Summaries are written in place, before the commit: put them back after a round that failed. Then forget them. */
void repair_put_back_summaries(struct repair *r);
void repair_forget_summaries(struct repair *r);
/* The NAT entries that witnesses decided on (witness.h). */
int repair_amended_entries(struct repair *r);

#endif
