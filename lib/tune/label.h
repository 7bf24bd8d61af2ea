/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Label and UUID of a volume, and inode checksums that follow the UUID.
 */
#ifndef F2FSKIT_TUNE_LABEL_H
#define F2FSKIT_TUNE_LABEL_H

#include "log/superblocks.h"

/*
 * Write a label as UTF-16 units, 512 at most, followed by zeros: the required form of every label. Fails with INVALID
 * (not UTF-8, a control character) and NAME_TOO_LONG.
 */
int label_encode(struct f2fs_context *ctx, const char *label, uint8_t *units);

#endif
