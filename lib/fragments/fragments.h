/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of the report on fragmentation:
 *	fragments/fragments.c	walks the files
 *	fragments/file.c	counts the fragments of one file
 *	fragments/free.c	what the segments hold
 */
#ifndef F2FSKIT_FRAGMENTS_FRAGMENTS_H
#define F2FSKIT_FRAGMENTS_FRAGMENTS_H

#include <f2fskit/defrag.h>

#include "file/object.h"

/* What counts as small, and what a reader asks for at once, in blocks. */
struct fragment_units {
	uint32_t small, read;
};

/* The sums of the whole volume once more, from the inodes that a report has told. */
int fragments_again(struct f2fs_volume *vol, const f2fs_nid_t *inodes, size_t count, struct f2fs_fragments *out);

#endif
