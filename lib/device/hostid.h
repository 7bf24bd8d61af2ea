/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List the files of the host that a context has open as devices.
 */
#ifndef F2FSKIT_DEVICE_HOSTID_H
#define F2FSKIT_DEVICE_HOSTID_H

#include "device/file.h"

struct stat;

/* The context's list of them. Only its own thread opens and closes; others may look meanwhile. */
void hostfile_enter(struct hostfile *file);
void hostfile_leave(struct hostfile *file);
/* Is a file or block device of the host open as a device of this context? It must not be overwritten then. */
bool hostfile_is_open(const struct f2fs_context *ctx, const struct stat *st);

#endif
