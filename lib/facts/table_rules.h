/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Check journals, maps of free node ids, and logs.
 */
#ifndef F2FSKIT_FACTS_TABLE_RULES_H
#define F2FSKIT_FACTS_TABLE_RULES_H

#include "facts/run.h"

/* Judge the journals and orphan blocks as stored in the pack. The volume has cut the bad ones. */
int tables_check_journals(struct checker *c);
/* Read the maps of full and empty NAT blocks, when they belong to the checkpoint. */
int tables_load_nat_bits(struct checker *c);
/* Do the maps disagree with a NAT block of which used of all entries have an address? */
bool tables_nat_bits_differ(const struct checker *c, uint32_t k, unsigned used, unsigned all);
/* Compare the maps with a NAT block of which used of all entries have an address. */
int tables_check_nat_bits(struct checker *c, uint32_t k, unsigned used, unsigned all);
/* Are the next blocks of the logs free? */
int tables_check_logs(struct checker *c);

#endif
