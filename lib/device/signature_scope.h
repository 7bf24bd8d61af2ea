/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a device for a search for signatures, without the bytes of the volume.
 */
#ifndef F2FSKIT_DEVICE_SIGNATURE_SCOPE_H
#define F2FSKIT_DEVICE_SIGNATURE_SCOPE_H

#include "device/signature_find.h"

/* Read the device's first bytes, to look at them often. 0 or NOMEM. Where they cannot be read at once, none are
 * kept. */
int foreign_load_head(struct f2fs_device *dev, struct foreign_scope *scope);
/* Forget them. */
void foreign_drop_head(struct f2fs_device *dev, struct foreign_scope *scope);
/* Fill buffer with bytes of the device; those of the volume, and bytes that cannot be read, are zeros. */
void foreign_read(struct f2fs_device *dev, const struct foreign_scope *scope, uint64_t offset, uint8_t *buffer,
		  size_t length);
/* Does this signature count? */
bool foreign_counts(const struct foreign_scope *scope, const struct f2fs_signature *found);
/* Is sector 0 a boot record with partitions in it? */
bool foreign_has_partitions(struct f2fs_device *dev, const struct foreign_scope *scope);

#endif
