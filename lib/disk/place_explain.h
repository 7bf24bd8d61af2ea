/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Explain to a user why a device does not begin with F2FS.
 */
#ifndef F2FSKIT_DISK_PLACE_EXPLAIN_H
#define F2FSKIT_DISK_PLACE_EXPLAIN_H

#include "device/device.h"

/*
 * Say where F2FS is on a device that does not begin with it, or in what container, and how to open it: a sentence
 * without a capital letter and full stop. 0, F2FS_ERR_NOT_FOUND without a record, or NOMEM.
 */
int place_explain(struct f2fs_device *dev, char *text, size_t size);

#endif
