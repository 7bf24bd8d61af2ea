/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Devices on a descriptor of the host: regular files and block devices.
 */
#ifndef F2FSKIT_DEVICE_FILE_H
#define F2FSKIT_DEVICE_FILE_H

#include <sys/stat.h>
#include <sys/types.h>

#include "device/device.h"

/* A device on a descriptor. The operations of both kinds get it as self. */
struct hostfile {
	struct f2fs_context *ctx;
	int fd;
	int backing; /* the file of a loop device, which is locked; -1: none */
	long owner;  /* of the lock: the process that opened it for writing; 0: there is none */
	uint64_t size;
	uint32_t sector_size;
	uint64_t zone_bytes;
	struct hostfile *next; /* of the context's */
	bool is_block;
	/* Identity on the host, below loop devices: of a block device its number alone. */
	uint64_t host_device, number;
};

/* Make a device of an open regular file of size bytes; the descriptor is the device's on success only. */
int file_make_device(struct f2fs_context *ctx, const char *path, int fd, uint64_t size, uint32_t caps,
		     struct f2fs_device **out);

/*
 * Shared by both kinds: operations, and making a device from a descriptor, which the device then owns, with that of a
 * loop device's file, if any.
 */
int hostfile_make(struct f2fs_context *ctx, const char *path, int fd, int backing, const struct f2fs_device_ops *ops,
		  const struct f2fs_device_info *info, struct f2fs_device **out);
int hostfile_read(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int hostfile_write(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count);
int hostfile_flush(void *self);
void hostfile_close(void *self);

#endif
