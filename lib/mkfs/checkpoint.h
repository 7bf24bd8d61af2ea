/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The first checkpoint (FORMAT volume 4, 7.5, 11).
 */
#ifndef F2FSKIT_MKFS_CHECKPOINT_H
#define F2FSKIT_MKFS_CHECKPOINT_H

#include "mkfs/run.h"

/* Write both checkpoint packs. */
int mkfs_write_packs(struct mkfs *m);

#endif
