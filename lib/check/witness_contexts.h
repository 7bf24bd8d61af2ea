/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Vote on encryption contexts that cannot be used.
 */
#ifndef F2FSKIT_CHECK_WITNESS_CONTEXTS_H
#define F2FSKIT_CHECK_WITNESS_CONTEXTS_H

#include "check/run.h"

/* Once attributes are judged: the policies of relatives vote on encryption contexts. */
int witness_contexts(struct checker *c);

#endif
