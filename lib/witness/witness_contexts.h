/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on encryption contexts that cannot be used.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_CONTEXTS_H
#define F2FSKIT_WITNESS_WITNESS_CONTEXTS_H

#include "facts/run.h"

/* Read the attribute with the context of a sound inode. value: FSCRYPT_CONTEXT_MAX bytes. *size 0: there is none. */
int witness_read_context(struct checker *c, f2fs_nid_t ino, uint8_t *value, uint32_t *size);
/* Once attributes are judged: the policies of relatives vote on encryption contexts. */
int witness_contexts(struct checker *c);

#endif
