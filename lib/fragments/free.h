/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the segments hold, and how the free blocks lie between them.
 */
#ifndef F2FSKIT_FRAGMENTS_FREE_H
#define F2FSKIT_FRAGMENTS_FREE_H

#include "fragments/fragments.h"

/* Add what the SIT says. */
int fragments_add_space(struct f2fs_volume *vol, struct f2fs_fragments *out);

#endif
