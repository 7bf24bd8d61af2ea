/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's clock: seconds of mounted time.
 */
#ifndef F2FSKIT_VOLUME_CLOCK_H
#define F2FSKIT_VOLUME_CLOCK_H

#include "volume/volume.h"

/* Seconds of mounted time, now. */
void volume_start_clock(struct f2fs_volume *vol);
uint64_t volume_clock(const struct f2fs_volume *vol);

#endif
