/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read the slack after the ends of files.
 */
#ifndef F2FSKIT_FORENSICS_SLACK_H
#define F2FSKIT_FORENSICS_SLACK_H

#include <f2fskit/carve.h>

#include "forensics/past.h"

/* Visit the slack after the ends of files. */
int leftovers_slack(struct f2fs_past *past, bool with_zeros,
		    int (*visit)(void *user, const struct f2fs_leftover *range), void *user);
/* The same of one inode, also where it is zeros. */
int leftovers_slack_of(struct f2fs_past *past, f2fs_nid_t ino,
		       int (*visit)(void *user, const struct f2fs_leftover *range), void *user);

#endif
