/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The files and the order that --order-file gives.
 */
#ifndef F2FSKIT_DEFRAG_ACCESS_LIST_H
#define F2FSKIT_DEFRAG_ACCESS_LIST_H

#include "defrag/run.h"

/* The files and the order that a file of the host lists; zero it first. */
struct access_list {
	char *text; /* that the paths are in */
	struct f2fs_defrag_part *parts;
	size_t count;
};

/* Read the list of d->a->order_file; returns 0, or non-zero with a message written. Free it in either case. */
int access_list_read(struct defrag *d, struct access_list *list);
void access_list_free(struct access_list *list);

#endif
