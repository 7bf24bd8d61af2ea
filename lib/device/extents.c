/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Holes of a device, extent by extent.
 */
#include "device/extents.h"

uint64_t holes_at(struct holes *holes, uint64_t offset)
{
	uint64_t length;
	int is_hole;

	if (offset < holes->start || offset >= holes->end) {
		if (device_extent_quiet(holes->dev, offset, &length, &is_hole) != 0)
			return 0;
		holes->start = offset;
		holes->end = offset + length;
		holes->is_hole = is_hole != 0;
	}
	return holes->is_hole ? holes->end - offset : 0;
}
