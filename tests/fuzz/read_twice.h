/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read a device that any bytes made, and abort when it contradicts itself.
 */
#ifndef F2FSKIT_TESTS_FUZZ_READ_TWICE_H
#define F2FSKIT_TESTS_FUZZ_READ_TWICE_H

#include <f2fskit/device.h>

/* Reads give the same twice, holes are zeros, and nothing is past the end. */
void read_twice(struct f2fs_device *dev);

#endif
