/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Continue an interrupted sweep.
 */
#ifndef F2FSKIT_DEFRAG_RESUME_H
#define F2FSKIT_DEFRAG_RESUME_H

#include "defrag/run.h"

/* Skip the items that are in order already, from the start of the sweep. */
int defrag_resume(struct defrag_run *r);

#endif
