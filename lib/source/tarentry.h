/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Turn an archive's entry, as read by libarchive, into an item.
 */
#ifndef F2FSKIT_SOURCE_TARENTRY_H
#define F2FSKIT_SOURCE_TARENTRY_H

#include "source/source.h"

struct archive_entry;

/* Describe an entry: type, owner, mode, times, device, target; link (char) takes the cleaned path of a hard link. */
int tar_describe(struct source *src, struct archive_entry *entry, struct vec *link, struct source_item *item);
/* Add its attributes and ACLs to the current item. An ACL may change the mode. */
int tar_attributes(struct source *src, struct archive_entry *entry, struct source_item *item);

#endif
