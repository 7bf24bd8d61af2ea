/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Find signatures by libblkid.
 */
#ifndef F2FSKIT_DEVICE_SIGNATURE_BLKID_H
#define F2FSKIT_DEVICE_SIGNATURE_BLKID_H

#include "device/signature_find.h"

/* Copy what there is to look at to an unnamed sparse file as long as the device, and return its descriptor; -1: the
 * host has no such files, or libblkid is missing. */
int foreign_copy_ends(struct f2fs_device *dev, const struct foreign_scope *scope);
/* Ask libblkid; NOT_FOUND where it is missing, too. */
int foreign_ask_blkid(struct f2fs_device *dev, const struct foreign_scope *scope, struct f2fs_signature *out);

#endif
