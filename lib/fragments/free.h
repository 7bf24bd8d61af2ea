/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the blocks in segments, and the runs of free blocks between them.
 */
#ifndef F2FSKIT_FRAGMENTS_FREE_H
#define F2FSKIT_FRAGMENTS_FREE_H

#include "fragments/fragments.h"

/* Add the counts from the SIT. */
int fragments_add_space(struct f2fs_volume *vol, struct f2fs_fragments *out);

#endif
