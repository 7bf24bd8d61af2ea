/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take one of the two checkpoint blocks of a damaged pack.
 */
#ifndef F2FSKIT_VOLUME_HALF_PACK_H
#define F2FSKIT_VOLUME_HALF_PACK_H

#include "volume/volume.h"

/* Of a newer pack that is damaged in one of its checkpoint blocks, take the other one, if that leads to tables that it
 * agrees with. Otherwise the pack in force stays. */
int half_pack_take(struct f2fs_volume *vol);

#endif
