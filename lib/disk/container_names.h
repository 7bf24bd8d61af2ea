/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Files that hold an image in a form that is not read in place: compressed files, archives, images of virtual machines
 * and of evidence.
 */
#ifndef F2FSKIT_DISK_CONTAINER_NAMES_H
#define F2FSKIT_DISK_CONTAINER_NAMES_H

#include "device/device.h"

/* Write to text what a device holds, and the command that makes a plain image of it. False when it is none of them. */
bool container_describe(struct f2fs_device *dev, char *text, size_t size);

#endif
