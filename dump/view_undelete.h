/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The directory that --undelete and --carve write to.
 */
#ifndef F2FSKIT_DUMP_VIEW_UNDELETE_H
#define F2FSKIT_DUMP_VIEW_UNDELETE_H

#include "dump/run.h"

/* Open the directory of --to, made if need be; -1 when there is none, reported. what: the option that
 * asks. */
int dump_open_to(struct dump *d, const char *what);

#endif
