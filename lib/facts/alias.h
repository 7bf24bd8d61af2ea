/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the device of an alias, and compare the inode with it.
 */
#ifndef F2FSKIT_FACTS_ALIAS_H
#define F2FSKIT_FACTS_ALIAS_H

#include "facts/run.h"

/* Find the device of an alias and note it in the facts; then compare the inode with it. */
void alias_judge(const struct checker *c, struct inode_fact *inode, const uint8_t *block);
int alias_check(struct checker *c, const struct inode_fact *inode, const uint8_t *block);

#endif
