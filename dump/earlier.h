/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show the volume as of an earlier checkpoint.
 */
#ifndef F2FSKIT_DUMP_EARLIER_H
#define F2FSKIT_DUMP_EARLIER_H

#include "dump/run.h"

/* Show the volume as of a checkpoint version, or -N: N checkpoints ago. Failure is reported. */
int dump_open_as_of(struct dump *d, const char *version);
/* Report missing and uncertain parts, and close the view. */
void dump_close_as_of(struct dump *d);

#endif
