/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read images of evidence and of virtual machines in place: E01, qcow2, VHD, VHDX, VMDK.
 */
#ifndef F2FSKIT_DEVICE_CONTAINER_H
#define F2FSKIT_DEVICE_CONTAINER_H

#include <f2fskit/evidence.h>

#include "device/device.h"

enum { CONTAINER_NONE = 1 }; /* the file is no container, or the host lacks the library that reads it */

/*
 * Make a device of what a container holds, if file is one. path: its name; its further parts lie beside it. Returns 0,
 * CONTAINER_NONE, or fails with UNSUPPORTED (opened for writing; an image that continues in a file of another name, or
 * is encrypted), IO (rule CONTAINER: the library cannot open it), NOMEM. The caller keeps file.
 */
int container_make(struct f2fs_device *file, const char *path, unsigned flags, struct f2fs_device **out);

/* The container that a device, or one below it, reads from; NULL: it is none. It stays the device's. */
struct f2fs_device *container_below(struct f2fs_device *dev);
/* Describe it, without computing anything. */
void container_describe_evidence(struct f2fs_device *container, struct f2fs_evidence *out);

#endif
