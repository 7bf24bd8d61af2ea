/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Disks and partitions of the host. Calls return 0, or -1 with errno; ENOTSUP where the host has no such call.
 */
#ifndef F2FSKIT_HOST_DISKS_H
#define F2FSKIT_HOST_DISKS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

struct host_disk {
	uint64_t size;	       /* bytes */
	uint64_t start_sector; /* within the whole disk, of 512 bytes; 0: it is whole, or the host does not tell */
	uint64_t zone_bytes;   /* 0: it has no zones */
	uint32_t sector_size;
	uint32_t open_zones;   /* zones that may be written in part at a time; 0: any number, or not known */
	bool can_discard;
};

/* Is a file a disk, which is a block device, or on some hosts a character device? */
bool host_is_disk(const struct stat *st);
int host_query_disk(int fd, struct host_disk *out);
/* Make a range of whole sectors read as zeros. */
int host_zero_disk(int fd, uint64_t offset, uint64_t length);
/* Discard a range of whole sectors. */
int host_discard_disk(int fd, uint64_t offset, uint64_t length);

#endif
