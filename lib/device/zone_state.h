/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Zones kept in memory, with the rules of writing to them: for devices that stand for a zoned one.
 */
#ifndef F2FSKIT_DEVICE_ZONE_STATE_H
#define F2FSKIT_DEVICE_ZONE_STATE_H

#include "device/device.h"

struct zone_state {
	struct f2fs_context *ctx;
	struct f2fs_zone *zones; /* ascending, without gaps */
	uint64_t count;
	uint32_t open_most; /* zones written in part; 0: any number */
};

/* Zones that divide size bytes, all empty, or full. */
int zone_state_make(struct zone_state *state, struct f2fs_context *ctx, uint64_t size,
		    const struct f2fs_zone_options *options);
/* The zones of a device as they are now. */
int zone_state_copy(struct zone_state *state, struct f2fs_device *dev);
void zone_state_fini(struct zone_state *state);

/* May a range be written? F2FS_ERR_IO when a zone's write pointer is elsewhere. */
int zone_state_check(const struct zone_state *state, uint64_t offset, uint64_t length);
/* It was written. */
void zone_state_advance(struct zone_state *state, uint64_t offset, uint64_t length);
int zone_state_report(const struct zone_state *state, uint64_t first, struct f2fs_zone *zones, unsigned count,
		      unsigned *found);
/* Make the zone that holds a byte empty or full; NULL when it has no write pointer. */
const struct f2fs_zone *zone_state_reset(struct zone_state *state, uint64_t offset);
const struct f2fs_zone *zone_state_finish(struct zone_state *state, uint64_t offset);

#endif
