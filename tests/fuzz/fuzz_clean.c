/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Clean any bytes as a volume by each policy, into the log and into holes, with pinned files moved. Besides not
 * crashing: on a volume on which the checker finds nothing, every section is confirmed, the checker finds nothing
 * afterwards, and all files are as before; else sections left alone are counted, and a failure keeps the contract of
 * errors. Memory is bounded and given back.
 */
#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

/* The volume's own pages, what cleaning writes to it, the facts of the checker, nodes that wait. */
#define MEMORY_LIMIT ((size_t)320 << 20)

static void clean(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };
	const int is_sound = is_sound_recovered(ctx, dev);
	struct f2fs_volume *vol;
	uint64_t before;

	(void)c;
	if (f2fs_volume_open(ctx, dev, &open, &vol) != 0)
		return;
	before = is_sound ? contents(vol) : 0;
	for (unsigned i = 0; f2fs_gc_policy_name(i); i++) {
		const struct f2fs_gc_options options = {
			F2FS_SIZED(f2fs_gc_options), .policy = i,     .sections = 6,
			.used_limit = 100,	     .target = i & 1, .move_pinned = i > 1
		};
		struct f2fs_gc_result result = { F2FS_SIZED(f2fs_gc_result) };
		int err = f2fs_gc(vol, &options, &result);

		require(err == 0 || f2fs_context_error(ctx)->code == err, "a failure without its error");
		require(result.sections <= options.sections, "more sections than were asked for");
		require(!is_sound || result.unconfirmed + result.unreadable == 0, "a sound section was left alone");
	}
	require(before == 0 || contents(vol) == before, "cleaning changed what the volume holds");
	f2fs_volume_close(vol);
	require(before == 0 || problems(ctx, dev) == 0, "cleaning damaged the volume");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, clean);
}
