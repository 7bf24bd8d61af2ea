/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shrink and grow any bytes as a volume, on a device with room after it: each time planned, then done. Besides not
 * crashing: plan and result have the same size, and a volume on which the checker finds nothing has the same files
 * afterwards and still no findings.
 */
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

/* The volume's own pages, larger areas and all that moves there, the facts of the checker. */
#define MEMORY_LIMIT ((size_t)512 << 20)
#define MOST_ROOM 64u /* times the volume */

static const struct f2fs_open_options recovering = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };

/* Choose the options from the input. */
static struct f2fs_resize_options choose(const struct compact *c, unsigned step)
{
	const uint64_t bytes = (uint64_t)c->blocks << c->block_bits;
	struct f2fs_resize_options options = { F2FS_SIZED(f2fs_resize_options) };

	switch ((c->size + step) % 5) {
	case 0:
		options.to_minimum = 1;
		break;
	case 1:
		options.size = bytes / 4 * 3;
		break;
	case 2:
		options.size = bytes + bytes / 8;
		break;
	case 3:
		options.keep_size = 1;
		options.overprovision = 5 + (double)(c->size % 30);
		break;
	default: /* all of the device */
		break;
	}
	return options;
}

static int keeps_contract(struct f2fs_context *ctx, int err)
{
	require(err == 0 || f2fs_context_error(ctx)->code == err, "a failure without its error");
	return err;
}

static uint64_t contents_of(struct f2fs_context *ctx, struct f2fs_device *dev)
{
	struct f2fs_volume *vol;
	uint64_t digest;

	if (f2fs_volume_open(ctx, dev, &recovering, &vol) != 0)
		return 0;
	digest = contents(vol);
	f2fs_volume_close(vol);
	return digest;
}

static void resize_once(struct f2fs_context *ctx, struct f2fs_device *dev, const struct f2fs_resize_options *options,
			int is_sound)
{
	struct f2fs_resize_result plan = { F2FS_SIZED(f2fs_resize_result) },
				  done = { F2FS_SIZED(f2fs_resize_result) };
	const uint64_t before = is_sound ? contents_of(ctx, dev) : 0;
	int planned, err;

	planned = keeps_contract(ctx, f2fs_resize_plan(ctx, dev, &recovering, options, &plan));
	err = keeps_contract(ctx, f2fs_resize(ctx, dev, &recovering, options, &done));
	if (!is_sound)
		return;
	require(err != 0 || planned == 0, "done, though the plan says that it cannot be");
	require(err != 0 || options->to_minimum || plan.new_bytes == done.new_bytes, "another size than planned");
	require(contents_of(ctx, dev) == before, "another size changed what the volume holds");
	require(problems(ctx, dev) == 0, "another size damaged the volume");
}

static void resize(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const int is_sound = is_sound_recovered(ctx, dev);
	uint64_t in_place, anew;

	keeps_contract(ctx, f2fs_resize_minimum(ctx, dev, &recovering, &in_place, &anew));
	for (unsigned step = 0; step < 3; step++) {
		const struct f2fs_resize_options options = choose(c, step);

		resize_once(ctx, dev, &options, is_sound);
	}
}

/* The same volume at the start of a longer device. */
static void with_room(struct f2fs_context *ctx, struct f2fs_device *exact, const struct compact *c)
{
	const uint64_t bytes = (uint64_t)c->blocks << c->block_bits;
	struct f2fs_device *dev;

	(void)exact;
	if (f2fs_device_open_memory(ctx, bytes * (1 + c->size % MOST_ROOM), &dev) != 0)
		return;
	if (compact_load(c, dev) == 0)
		resize(ctx, dev, c);
	f2fs_device_close(dev);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, with_room);
}
