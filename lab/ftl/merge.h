/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merge log blocks into data blocks, for the models that have them. A logical block is lbn; block is one of flash. */
#ifndef F2FSKIT_LAB_FTL_MERGE_H
#define F2FSKIT_LAB_FTL_MERGE_H

#include "ftl_model.h"

/* Let the host's page go to its place in the data block, if that is not programmed yet; return whether it did. */
int merge_in_place(struct ftl *ftl, uint32_t logical);
/* The newest copies of all pages of lbn go to a new data block. */
void merge_full(struct ftl *ftl, uint32_t lbn);
/*
 * Make a log block, to which pages of lbn were written in their order from the first on, the data block, after copying
 * the later pages of the old one. Where the old one has newer pages before, all are copied to a new block instead.
 */
void merge_sequential(struct ftl *ftl, uint32_t lbn, uint32_t block);
/* Empty a log block of pages in any order: merge every logical block that it has a live page of, and erase it. */
void merge_all_of(struct ftl *ftl, uint32_t block);
/* A live page dies; a data block in which nothing is left is erased. */
void merge_trim(struct ftl *ftl, uint32_t logical);

#endif
