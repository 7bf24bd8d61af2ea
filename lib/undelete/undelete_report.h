/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report deleted files, and count them.
 */
#ifndef F2FSKIT_UNDELETE_UNDELETE_REPORT_H
#define F2FSKIT_UNDELETE_UNDELETE_REPORT_H

#include "undelete/undelete_run.h"

/* Is it an error that ends the run, whichever file it is about? */
bool undelete_ends(int err);
/* Report about a file. The error in the context is the detail of a failure. Returns 0 or CANCELED. */
int undelete_report(struct undelete *u, const char *path, unsigned outcome, uint64_t count);
int undelete_report_failed(struct undelete *u, const char *path, unsigned outcome, const char *what);
/*
 * Report that a file is back, with its losses, and count it. lost: blocks, blank ones included unless they are
 * contents. Lost attributes were reported already.
 */
int undelete_report_back(struct undelete *u, const char *path, int confidence, uint64_t lost, uint64_t blank,
			 uint64_t lost_attributes);
unsigned undelete_open_flags(const struct undelete *u);

#endif
