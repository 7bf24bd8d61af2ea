/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compare the encryption policies of directories and entries.
 */
#ifndef F2FSKIT_FACTS_CRYPT_PARENTS_H
#define F2FSKIT_FACTS_CRYPT_PARENTS_H

#include "facts/run.h"

/* The digest of a policy, by the context of an inode. Compare those of directories and entries. */
uint32_t crypt_policy(const uint8_t *value, size_t size);
int crypt_policies_check(struct checker *c);

#endif
