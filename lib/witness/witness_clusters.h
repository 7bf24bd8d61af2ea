/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Let the witnesses of clusters vote.
 */
#ifndef F2FSKIT_WITNESS_WITNESS_CLUSTERS_H
#define F2FSKIT_WITNESS_WITNESS_CLUSTERS_H

#include "facts/run.h"

/* A part of witness_data(). */
int witness_clusters(struct checker *c);

#endif
