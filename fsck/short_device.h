/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A device that ends before its volume. After a repair has dropped everything past the end, a file becomes as long as
 * the volume again. On other devices the volume shrinks to the device.
 */
#ifndef F2FSKIT_FSCK_SHORT_DEVICE_H
#define F2FSKIT_FSCK_SHORT_DEVICE_H

#include "devices.h"

struct short_device {
	uint64_t has, needs; /* bytes, from the start of the volume; needs 0: it is not short, as far as is known */
	int has_areas;	     /* something of the main area is there: without that there is nothing to keep */
	int is_longer;	     /* the file has grown, or what stands for it in memory */
	int must_shrink;     /* somebody wants it to stay as short as it is */
	int is_repaired;     /* what follows only looks */
};

/* May a repair drop everything past the end of the device? Not with --ask, --only and --except. */
int short_device_gives_up(const struct arguments *a);
/* Note the findings of a check; needs 0: nothing. */
void short_device_note(struct session *s, struct short_device *d, uint64_t has, uint64_t needs);
/* Where the volume ends for the next check (cut_at of struct f2fs_check_options). */
uint64_t short_device_cut(const struct session *s, const struct short_device *d);
/* For a run that writes nothing: append zeros in memory where a file would become longer, so that it has the same
 * findings as a repair. Returns 0, or -1 after a message. */
int short_device_rehearse(struct session *s, struct short_device *d);
/* Can the image be made longer? */
int short_device_is_file(struct session *s);
/* Would this file be made longer? */
int short_device_may_grow(struct session *s, const struct short_device *d);
/* Make the file as long as the volume and open it again. Returns 0, or -1 after a message. */
int short_device_grow(struct session *s, struct short_device *d);
/* Is there a device to be made fit, once all else is repaired? */
int short_device_must_fit(const struct session *s, const struct short_device *d);
/* Make the file longer, or the volume smaller. Returns 0, or -1 after a message. */
int short_device_fit(struct session *s, struct short_device *d);
/* Print why nothing is repaired, if that is because of the device; returns whether it was. */
int short_device_says_why(const struct session *s, const struct short_device *d);

#endif
