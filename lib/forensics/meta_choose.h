/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Choose the blocks that belong into a metadata image.
 */
#ifndef F2FSKIT_FORENSICS_META_CHOOSE_H
#define F2FSKIT_FORENSICS_META_CHOOSE_H

#include "forensics/meta.h"

struct f2fs_volume;

/* Fill kept, kinds and dirs. */
int meta_choose(struct meta_plan *plan, struct f2fs_volume *vol);

#endif
