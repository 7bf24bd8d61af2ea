/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the witnesses of nodes vote.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_NODES_H
#define F2FSKIT_WITNESS_WITNESS_NODES_H

#include "facts/run.h"

/* Once all nodes are read: let the witnesses of nodes vote. c->must_restart: something was amended. */
int witness_nodes(struct checker *c);

#endif
