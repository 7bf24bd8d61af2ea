/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The parts of the report on fragmentation:
 *	fragments/fragments.c	walks the files
 *	fragments/file.c	counts the fragments of one file
 *	fragments/free.c	counts the blocks in segments
 */
#ifndef F2FSKIT_FRAGMENTS_FRAGMENTS_H
#define F2FSKIT_FRAGMENTS_FRAGMENTS_H

#include <f2fskit/defrag.h>

#include "file/object.h"

/* The largest size that counts as small, and the size of a reader's requests, in blocks. */
struct fragment_units {
	uint32_t small, read;
};

/* Compute the sums of the whole volume again, from the inodes that a report listed. */
int fragments_again(struct f2fs_volume *vol, const f2fs_nid_t *inodes, size_t count, struct f2fs_fragments *out);

#endif
