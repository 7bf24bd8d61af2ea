/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Section of the page: deleted files. Returns 0, or an error that the context explains.
 */
#ifndef F2FSKIT_DUMP_PAGE_DELETED_H
#define F2FSKIT_DUMP_PAGE_DELETED_H

#include "dump/page.h"

int page_deleted(struct page *page);

#endif
