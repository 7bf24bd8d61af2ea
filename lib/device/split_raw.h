/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Raw images that are split into files of one size: image.001, image.002 and so on, or image.aa, image.ab.
 */
#ifndef F2FSKIT_DEVICE_SPLIT_RAW_H
#define F2FSKIT_DEVICE_SPLIT_RAW_H

#include "device/device.h"

/*
 * Let *file, which was opened at path with these flags, be all parts in a row if it is the first of several and does
 * not hold a whole F2FS volume itself. Fails with UNSUPPORTED (F2FS_OPEN_WRITE), INVALID (a part is missing or has
 * another size), IO, NOMEM; *file is closed then.
 */
int split_raw_join(struct f2fs_device **file, const char *path, unsigned flags);

#endif
