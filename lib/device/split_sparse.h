/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse images that are split into several sparse files, as for flashing in pieces: userdata_1.img,
 * userdata_2.img and so on. Each has the data of one range, and nothing elsewhere.
 */
#ifndef F2FSKIT_DEVICE_SPLIT_SPARSE_H
#define F2FSKIT_DEVICE_SPLIT_SPARSE_H

#include "device/device.h"

/* The file is no first part: nothing was done. */
#define SPLIT_SPARSE_SINGLE 1

/*
 * Let *file, a sparse file that was opened at path with these flags, be the contents of all parts if it is the first of
 * several. A file whose data begins where the file before has data is no part. Fails with UNSUPPORTED
 * (F2FS_OPEN_WRITE), INVALID (a part is missing), CORRUPT (a part is a damaged sparse file), IO, NOMEM; *file is closed
 * then.
 */
int split_sparse_join(struct f2fs_device **file, const char *path, unsigned flags);

#endif
