/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Keep and store the NAT changes of a transaction.
 */
#ifndef F2FSKIT_LOG_NAT_WRITE_H
#define F2FSKIT_LOG_NAT_WRITE_H

#include "log/run.h"

/* Add an entry to a journal that has room. */
void journal_add_nat(uint8_t *journal, const struct f2fs_nat_info *entry);

int nat_set(struct txn *txn, const struct f2fs_nat_info *entry);
int nid_alloc(struct txn *txn, f2fs_nid_t *nid);
/* Write changed NAT entries into the journal or to idle copies of their blocks; part of the commit. */
int nat_store(struct txn *txn, uint8_t *journal);

#endif
