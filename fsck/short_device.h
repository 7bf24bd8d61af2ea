/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device that ends before its volume does: once what lay behind the end was given up, a file is made as long again
 * as the volume, and on anything else the volume becomes as small as the device.
 */
#ifndef F2FSKIT_FSCK_SHORT_DEVICE_H
#define F2FSKIT_FSCK_SHORT_DEVICE_H

#include "devices.h"

struct short_device {
	uint64_t has, needs; /* bytes, from the start of the volume */
	int is_longer;	     /* the file has grown */
	int must_shrink;     /* somebody wants it to stay as short as it is */
	int is_repaired;     /* what follows only looks */
};

/* Is there anything of the main area? Without that there is nothing to keep. */
int short_device_has_areas(struct session *s, const struct short_device *d);
/* Can the image be made longer? */
int short_device_is_file(struct session *s);
/* Make the file as long as the volume and open it again. Returns 0, or -1 after a message. */
int short_device_grow(struct session *s, struct short_device *d);
/* Would this file be made longer? */
int short_device_may_grow(struct session *s, const struct short_device *d);
/* Make the volume as small as its device. Returns 0, or -1 after a message. */
int short_device_shrink(struct session *s, const struct short_device *d);

#endif
