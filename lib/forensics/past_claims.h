/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the blocks that were written after the last checkpoint.
 */
#ifndef F2FSKIT_FORENSICS_PAST_CLAIMS_H
#define F2FSKIT_FORENSICS_PAST_CLAIMS_H

#include "forensics/past.h"

/* Follow the nodes that were written after the last checkpoint, and remember the blocks they took. */
int past_claim(struct f2fs_past *past);

#endif
