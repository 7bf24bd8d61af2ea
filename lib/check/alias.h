/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the device of an alias, compare the inode with it, and mend the inode.
 */
#ifndef F2FSKIT_CHECK_ALIAS_H
#define F2FSKIT_CHECK_ALIAS_H

#include "check/repair.h"

/* Set the extent and the flag of a device alias. */
void alias_mend(const struct repair *r, const struct inode_fact *inode, uint8_t *block);

/* Find the device of an alias and note it in the facts; then compare the inode with it. */
void alias_judge(const struct checker *c, struct inode_fact *inode, const uint8_t *block);
int alias_check(struct checker *c, const struct inode_fact *inode, const uint8_t *block);

#endif
