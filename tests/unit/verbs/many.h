/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A forged volume of many small files with damage between them, on a device that several threads may read.
 */
#ifndef F2FSKIT_TESTS_UNIT_MANY_H
#define F2FSKIT_TESTS_UNIT_MANY_H

#include "forge.h"

/* Files of the root, "f0" and so on, of one to six blocks. f40 and f120 have a block that cannot be read; f70 has one
 * outside of the main area. The name "none" after f50 leads to no inode. */
enum { MANY = 150 };

struct many {
	struct f2fs_device *dev;
	uint8_t *bytes; /* of the device */
	uint64_t bad_from, bad_to;
};

void many_open(struct many *many, struct forge *forge);
void many_close(struct many *many);

#endif
