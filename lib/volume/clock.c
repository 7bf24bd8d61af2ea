/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's clock: seconds of mounted time (FORMAT volume 4.2, files 10.6). It starts at the checkpoint's value when
 * the volume is opened, and advances by the host's clock, as if the volume were mounted. Commits store it. It never
 * goes backwards, whatever the host's clock does.
 */
#include <f2fskit/engine.h>

#include "base/error.h"
#include "volume/clock.h"
#include "volume/volume.h"

#define NANOSECONDS 1000000000
#define MOST_SECONDS (UINT64_C(1) << 54) /* so that 512 times as many can be added */

void volume_start_clock(struct f2fs_volume *vol)
{
	vol->clock.start = vol->view->cp ? cp_elapsed_time(vol->view->cp) : 0;
	vol->clock.opened_ns = clock_now(vol->ctx);
}

uint64_t volume_clock(const struct f2fs_volume *vol)
{
	const uint64_t stored = vol->view->cp ? cp_elapsed_time(vol->view->cp) : 0;
	uint64_t now = vol->clock.start;

	if (now >= MOST_SECONDS)
		return stored; /* it makes no sense: leave it alone */
	if (!vol->write.clock_stands) {
		const int64_t ns = clock_now(vol->ctx);

		now += ns > vol->clock.opened_ns ? ((uint64_t)ns - (uint64_t)vol->clock.opened_ns) / NANOSECONDS : 0;
	}
	return now > stored ? now : stored;
}

uint64_t f2fs_volume_clock(const struct f2fs_volume *vol)
{
	return volume_clock(vol);
}

int f2fs_volume_elapse(struct f2fs_volume *vol, uint64_t seconds)
{
	error_clear(vol->ctx);
	if (vol->clock.start >= MOST_SECONDS || seconds >= MOST_SECONDS - vol->clock.start)
		return error_set(vol->ctx, F2FS_ERR_RANGE, "the volume's clock cannot advance by %llu seconds",
				 (unsigned long long)seconds);
	vol->clock.start += seconds;
	return 0;
}
