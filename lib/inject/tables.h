/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Entries of NAT, SIT and SSA, of the journals, and orphans.
 */
#ifndef F2FSKIT_INJECT_TABLES_H
#define F2FSKIT_INJECT_TABLES_H

#include "inject/run.h"

int place_nat(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_sit(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_ssa(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_nat_journal(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_sit_journal(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_orphan(struct f2fs_inject *inject, const struct address *address, struct place *out);
int place_orphan_block(struct f2fs_inject *inject, const struct address *address, struct place *out);

#endif
