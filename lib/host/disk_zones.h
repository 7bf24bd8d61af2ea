/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones of the host's disks. Calls return 0, or -1 with errno; ENOTSUP where the host has no zones.
 */
#ifndef F2FSKIT_HOST_DISK_ZONES_H
#define F2FSKIT_HOST_DISK_ZONES_H

#include <stdbool.h>
#include <stdint.h>

/* A zone; places and lengths in bytes. */
struct host_zone {
	uint64_t start, length, capacity, write_pointer;
	bool is_sequential, is_preferred; /* written in order; better written in order */
	bool is_empty, is_full;
};

/* Report up to count zones from a byte on; *found gets their number. */
int host_report_zones(int fd, uint64_t from, struct host_zone *zones, unsigned count, unsigned *found);
/* Empty or fill the zone of these bytes. */
int host_reset_zone(int fd, uint64_t start, uint64_t length);
int host_finish_zone(int fd, uint64_t start, uint64_t length);

#endif
