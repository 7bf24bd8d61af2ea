/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Problems of a run.
 */
#ifndef F2FSKIT_POPULATE_REPORT_H
#define F2FSKIT_POPULATE_REPORT_H

#include "populate/run.h"

/*
 * Count a problem with the current item and report it to the caller. The error is in the context. Returns an error to
 * end the run.
 */
int populate_problem(struct populate *p, const char *what);
/* Does an error end the run, rather than being a problem of one item? */
bool populate_is_fatal(const struct populate *p, int err);

#endif
