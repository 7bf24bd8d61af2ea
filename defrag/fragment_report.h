/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report fragmentation.
 */
#ifndef F2FSKIT_DEFRAG_FRAGMENT_REPORT_H
#define F2FSKIT_DEFRAG_FRAGMENT_REPORT_H

#include "defrag/run.h"

/* Write to stdout. Returns 0, or non-zero with a message written. */
int defrag_report(struct defrag *d);

#endif
