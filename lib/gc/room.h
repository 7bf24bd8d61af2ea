/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Compute the room for a batch.
 */
#ifndef F2FSKIT_GC_ROOM_H
#define F2FSKIT_GC_ROOM_H

#include "gc/run.h"

/* Is there room to move the blocks in live besides those that the batch has moved already? */
bool room_fits(const struct run *r);
/* What moving that would take: for the result, when there is no room. */
void room_note(struct run *r, uint32_t section);
/* Choose the victims of a batch, *count from the start of the list, and bar them in the transaction, which is fresh. */
int room_plan(struct run *r, size_t *count);
/* The same for a dry run. */
size_t room_plan_dry(const struct run *r);
/* Predict the free sections at the end of a dry run. */
uint32_t room_predict(const struct run *r);

#endif
