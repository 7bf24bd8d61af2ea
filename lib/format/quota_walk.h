/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Walk a quota file, and check it whole.
 */
#ifndef F2FSKIT_FORMAT_QUOTA_WALK_H
#define F2FSKIT_FORMAT_QUOTA_WALK_H

#include "format/quota.h"

/* Visit all entries, ids ascending. */
int quota_walk(struct quota_file *file, struct quota_work *work, const struct quota_visitor *visitor);

/* Bytes of memory that quota_check() needs: four bits for each block of the file. */
size_t quota_check_size(const struct quota_file *file);

/*
 * Walk, and check all that is to be checked: each block has one role, leaves count their entries, no entry is lost, the
 * free lists are sound. @map is memory of quota_check_size() bytes.
 */
int quota_check(struct quota_file *file, struct quota_work *work, uint8_t *map, const struct quota_visitor *visitor);

#endif
