/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the names of each file, before anything is written.
 */
#ifndef F2FSKIT_EXTRACT_NAMES_H
#define F2FSKIT_EXTRACT_NAMES_H

#include "extract/run.h"

/* Count the names of all that is below the targets; nothing when links are not kept. */
int extract_names_survey(struct extract *x, const struct vec *targets);
void extract_names_fini(struct extract *x);
/* How many names an inode has, at least 1. */
uint64_t extract_names_of(const struct extract *x, f2fs_nid_t ino);
/* Was the inode extracted before? set: note that it is now. */
bool extract_names_made(struct extract *x, f2fs_nid_t ino, bool set);

#endif
