/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Section of the page: files. Returns 0, or an error that the context explains.
 */
#ifndef F2FSKIT_DUMP_PAGE_FILES_H
#define F2FSKIT_DUMP_PAGE_FILES_H

#include "dump/page.h"

int page_files(struct page *page);

#endif
