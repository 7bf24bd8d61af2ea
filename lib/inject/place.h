/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find the bytes that hold the field of an address.
 */
#ifndef F2FSKIT_INJECT_PLACE_H
#define F2FSKIT_INJECT_PLACE_H

#include "inject/run.h"

int place_find(struct f2fs_inject *inject, const struct address *address, struct place *out);
int spot_find(struct f2fs_context *ctx, const struct address *address, const struct place *place, struct spot *out);

#endif
