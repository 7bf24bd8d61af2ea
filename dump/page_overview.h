/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Sections of the page: the volume, and the findings of a check. They return 0, or an error that the context explains.
 */
#ifndef F2FSKIT_DUMP_PAGE_OVERVIEW_H
#define F2FSKIT_DUMP_PAGE_OVERVIEW_H

#include "dump/page.h"

int page_overview(struct page *page);
int page_findings(struct page *page);

#endif
