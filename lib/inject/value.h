/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values as people write them.
 */
#ifndef F2FSKIT_INJECT_VALUE_H
#define F2FSKIT_INJECT_VALUE_H

#include "inject/run.h"

/* Put a value as written into the bytes of a place */
uint64_t spot_get(const struct spot *spot, const uint8_t *bytes);
int spot_put(struct f2fs_context *ctx, const struct spot *spot, const char *value, uint8_t *bytes);

#endif
