/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The kernel's calls on files of a mounted volume, with those that are newer than the headers of some systems.
 */
#ifndef F2FSKIT_MOUNTED_KERNEL_CALLS_H
#define F2FSKIT_MOUNTED_KERNEL_CALLS_H

#include <linux/f2fs.h>
#include <linux/falloc.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/fscrypt.h>
#include <linux/fsverity.h>

#include "host/host_request.h"

enum { BLOCK_BYTES = 4096 }; /* the unit of the command line, whatever the volume's blocks */

#ifndef F2FS_IOC_START_ATOMIC_REPLACE
#define F2FS_IOC_START_ATOMIC_REPLACE _IO(F2FS_IOCTL_MAGIC, 25)
#endif
#ifndef F2FS_IOC_ABORT_ATOMIC_WRITE /* its name before Linux 6.0: ABORT_VOLATILE_WRITE */
#define F2FS_IOC_ABORT_ATOMIC_WRITE _IO(F2FS_IOCTL_MAGIC, 5)
#endif
#ifndef F2FS_IOC_IO_PRIO
#define F2FS_IOC_IO_PRIO _IOW(F2FS_IOCTL_MAGIC, 27, __u32)
#endif
enum { IO_PRIO_WRITE = 1 }; /* F2FS_IOPRIO_WRITE, which newer headers have as an enumerator */

#endif
