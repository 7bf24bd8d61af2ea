/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count the items to copy ahead.
 */
#ifndef F2FSKIT_POPULATE_TOTAL_H
#define F2FSKIT_POPULATE_TOTAL_H

#include "populate/run.h"

/* Count ahead the contents of a directory, for the progress. Fails only with errors that end the run as well. */
int populate_total(struct populate *p);

#endif
