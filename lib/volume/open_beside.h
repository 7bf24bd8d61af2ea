/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a volume beside another one.
 */
#ifndef F2FSKIT_VOLUME_OPEN_BESIDE_H
#define F2FSKIT_VOLUME_OPEN_BESIDE_H

#include "volume/volume.h"

/*
 * Open a volume beside base, which has no running transaction. Its device is its own: what base writes over of the
 * metadata is copied there first. Nothing may be written to it. base may be closed before it. Fails with NOMEM, IO (the
 * zones).
 */
int beside_open(struct f2fs_volume *base, struct f2fs_volume **out);

#endif
