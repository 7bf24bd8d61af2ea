/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill in a place, and check what its finder needs.
 */
#ifndef F2FSKIT_INJECT_FINDER_H
#define F2FSKIT_INJECT_FINDER_H

#include "inject/run.h"

void place_add_scope(struct place *place, const char *structure, uint32_t offset, uint32_t limit, const char *prefix);
void place_add_array(struct place *place, const char *name, uint32_t offset, uint32_t count, uint8_t width);
/* Take one block of the volume as the place. RANGE when there is none of that number. */
int place_take_block(struct f2fs_inject *inject, uint64_t addr, struct place *out);
/* Require a valid superblock, or with need_volume() the whole volume. */
int need_geometry(struct f2fs_inject *inject);
int need_volume(struct f2fs_inject *inject);
/* Bracket number i as a number below limit. */
int need_number(struct f2fs_inject *inject, const struct address *address, unsigned i, uint64_t limit, uint64_t *out);

#endif
