/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Section of the page: the map of segments. Returns 0, or an error that the context explains. And a chart of times.
 */
#ifndef F2FSKIT_DUMP_PAGE_CHARTS_H
#define F2FSKIT_DUMP_PAGE_CHARTS_H

#include "dump/page.h"

int page_map(struct page *page);

/* A chart of how many of the times (nanoseconds since 1970, none 0) are in each of equal spans. */
void page_times(FILE *to, const uint64_t *times, size_t count, const char *title);

#endif
