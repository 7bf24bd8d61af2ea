/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on encryption contexts that cannot be used.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_CONTEXTS_H
#define F2FSKIT_WITNESS_WITNESS_CONTEXTS_H

#include "facts/run.h"

/* Once attributes are judged: the policies of relatives vote on encryption contexts. */
int witness_contexts(struct checker *c);

#endif
