/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find out whether another system owns the device.
 */
#ifndef F2FSKIT_VOLUME_FOREIGN_CHECK_H
#define F2FSKIT_VOLUME_FOREIGN_CHECK_H

#include "volume/volume.h"

struct f2fs_device;

/* Fill *out with the signature of another system. is_at_start: dev is the whole device, not a partition of it, so its
 * end counts, too. 0, F2FS_ERR_NOT_FOUND (no error is recorded), F2FS_ERR_NOMEM. */
int foreign_check(struct f2fs_device *dev, bool is_at_start, struct f2fs_signature *out);
/* Do the same for the device of a volume. */
int volume_find_foreign(struct f2fs_volume *vol, struct f2fs_signature *out);
/* Record and return F2FS_ERR_FOREIGN. */
int foreign_refuse(struct f2fs_context *ctx, const struct f2fs_signature *found);
/* Fail with FOREIGN when there is one, unless the caller of open accepts it. The device is looked at once. */
int volume_check_foreign(struct f2fs_volume *vol);

#endif
