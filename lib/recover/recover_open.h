/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open a volume, and recover it on the way if requested.
 */
#ifndef F2FSKIT_RECOVER_RECOVER_OPEN_H
#define F2FSKIT_RECOVER_RECOVER_OPEN_H

#include "volume/volume.h"

struct f2fs_device;

/* f2fs_volume_open() without forgetting the last error. */
int volume_open_recovered(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_open_options *options,
			  struct f2fs_volume **out);

#endif
