/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a volume that has lost its roots: both superblocks, both checkpoints or the NAT, as a byte after the
 * header of the input says. It is opened for rescue and every reader runs over it; then it is repaired. Besides not
 * crashing: rescue writes nothing, a repair that says that nothing is left is right, and memory is bounded and given
 * back.
 */
#include "common/exercise.h"
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

#include <string.h>

#define MEMORY_LIMIT ((size_t)320 << 20)
#define BLOCK 4096u

enum loss { LOSE_SUPERBLOCKS = 1, LOSE_PACKS = 2, LOSE_NAT = 4 };

static void wipe(struct f2fs_device *dev, uint64_t first, uint64_t blocks)
{
	static const uint8_t zero[BLOCK];

	for (uint64_t i = 0; i < blocks && i < 4096; i++)
		f2fs_device_write(dev, (first + i) * BLOCK, zero, sizeof(zero));
}

/* Destroy roots; find the areas while the superblock is there. */
static void lose(struct f2fs_context *ctx, struct f2fs_device *dev, unsigned what)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options),
						.mode = F2FS_MODE_RESCUE, .cache_bytes = 1 << 20 };
	struct f2fs_volume *vol;

	if (f2fs_volume_open(ctx, dev, &open, &vol) == 0) {
		const struct f2fs_geometry geo = *f2fs_volume_geometry(vol);

		f2fs_volume_close(vol);
		if (what & LOSE_PACKS)
			wipe(dev, geo.cp_blkaddr, 1024);
		if (what & LOSE_NAT)
			wipe(dev, geo.nat_blkaddr, (uint64_t)geo.segment_count_nat * 512);
	}
	if (what & LOSE_SUPERBLOCKS)
		wipe(dev, 0, 2);
}

static void read_all(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	static const struct exercise_limits limits = {
		.entries = 60, .table = 30, .extents = 30, .bytes = 20000, .identities = 30
	};
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options),
						.mode = F2FS_MODE_RESCUE, .cache_bytes = 1 << 20 };
	const struct f2fs_fault_rule none = { 0 };
	struct exercise_result result;
	struct f2fs_device *watched;
	uint64_t reads, writes, flushes;
	struct f2fs_volume *vol;

	if (f2fs_device_open_fault(dev, &watched) != 0)
		return;
	f2fs_device_fault_set(watched, &none);
	if (f2fs_volume_open(ctx, watched, &open, &vol) == 0) {
		exercise_volume(vol, &limits, &result);
		f2fs_volume_close(vol);
	}
	f2fs_device_fault_counts(watched, &reads, &writes, &flushes);
	require(writes == 0 && flushes == 0, "rescue wrote");
	f2fs_device_close(watched);
}

static void rescue(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_check_options options = { F2FS_SIZED(f2fs_check_options), .repair = 1 };
	struct f2fs_check_result result = { F2FS_SIZED(f2fs_check_result) };

	lose(ctx, dev, c->data[c->size - 1] % 7 + 1);
	read_all(ctx, dev);
	if (f2fs_check(ctx, dev, &options, &result) == 0 &&
	    (result.state == F2FS_CHECK_SOUND || result.state == F2FS_CHECK_REPAIRED))
		require(problems(ctx, dev) == 0, "a repair that left nothing left something");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, rescue);
}
