/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The areas of a new volume.
 */
#ifndef F2FSKIT_MKFS_AREAS_H
#define F2FSKIT_MKFS_AREAS_H

#include "mkfs/run.h"

/* Discard the devices, or reset their zones; sets result.trimmed. */
int mkfs_discard(struct mkfs *m);
/* Make the areas that readers take on trust right: SIT and NAT, and no stale chain of fsynced nodes. */
int mkfs_write_areas(struct mkfs *m);

#endif
