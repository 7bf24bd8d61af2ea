/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The page that --report writes. f2fskit.report of Python writes the same page; its frame, look and script are
 * in python/f2fskit and built in here.
 */
#ifndef F2FSKIT_DUMP_PAGE_H
#define F2FSKIT_DUMP_PAGE_H

#include <stdio.h>

#include "dump/run.h"

enum { PAGE_ROWS = 500 }; /* most rows of a table */

struct page {
	struct dump *d;
	FILE *to;
	uint64_t files, deleted, problems; /* counted, also those beyond PAGE_ROWS */
};

#endif
