/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From an archive's entry, as libarchive has it, to an item.
 */
#ifndef F2FSKIT_SOURCE_TAR_H
#define F2FSKIT_SOURCE_TAR_H

#include "source/populate.h"

struct archive_entry;

/* Describe an entry: type, owner, mode, times, device, target; link (char) takes the cleaned path of a hard link. */
int populate_tar_describe(struct populate *p, struct archive_entry *entry, struct vec *link,
			  struct populate_item *item);
/* Add its attributes and ACLs to the item at hand; an ACL has a say in the mode. */
int populate_tar_attributes(struct populate *p, struct archive_entry *entry, struct populate_item *item);

#endif
