/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the extents and fragments of one file.
 */
#ifndef F2FSKIT_FRAGMENTS_FILE_H
#define F2FSKIT_FRAGMENTS_FILE_H

#include "fragments/fragments.h"

/* Count the extents and fragments of a file. Damage is reported in out->error, other failures are returned. */
int fragments_count(struct f2fs_inode *inode, const struct fragment_units *units, struct f2fs_file_fragments *out,
		    uint64_t *ideal_requests);

#endif
