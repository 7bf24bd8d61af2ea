/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Write a whole set of areas in another place.
 */
#ifndef F2FSKIT_RESIZE_AREAS_H
#define F2FSKIT_RESIZE_AREAS_H

#include "resize/run.h"

/*
 * Write SIT, NAT, SSA and both checkpoint packs of a volume that holds the same as vol, with block addresses as they
 * are, and flush. Nothing that vol uses may be where they go. *written: bytes.
 */
int areas_write(struct f2fs_volume *vol, const struct areas_target *to, uint64_t *written);

#endif
