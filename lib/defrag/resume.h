/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sweep that was stopped goes on where it was.
 */
#ifndef F2FSKIT_DEFRAG_RESUME_H
#define F2FSKIT_DEFRAG_RESUME_H

#include "defrag/run.h"

/* Skip what lies in order already, where a sweep begins. */
int defrag_resume(struct defrag_run *r);

#endif
