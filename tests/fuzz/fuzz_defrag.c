/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Report, draw and defragment any bytes as a volume: first in rehearsal, then for real. Besides not crashing: both have
 * the same result, the picture keeps its size, and a volume on which the checker finds nothing has no unconfirmed
 * block, and afterwards the same files and still no findings.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "fuzz/on_image.h"
#include "fuzz/unchanged.h"

/* The volume's own pages, its writes, the facts of the checker, a rehearsal's overlay. */
#define MEMORY_LIMIT ((size_t)384 << 20)
#define MAP_MOST 200000u

static int add_length(void *user, const void *data, size_t length)
{
	(void)data;
	*(size_t *)user += length;
	return 0;
}

static void look(struct f2fs_context *ctx, struct f2fs_volume *vol)
{
	struct f2fs_fragments found;

	for (int form = F2FS_MAP_SVG; form <= F2FS_MAP_TEXT; form++) {
		size_t length = 0;
		int err = f2fs_segment_map_draw(vol, form, add_length, &length);

		require(err == 0 || f2fs_context_error(ctx)->code == err, "a failure without its error");
		require(length < MAP_MOST, "a map larger than promised");
	}
	if (f2fs_fragments_count(vol, NULL, &found) == 0)
		require(found.fragments <= found.blocks && found.ideal <= found.fragments, "sums that cannot be");
}

/* Defragment by one order, with limits taken from the input. */
static void put_in_order(struct f2fs_context *ctx, struct f2fs_volume *vol, uint32_t order, size_t chance,
			 int is_sound)
{
	static const struct f2fs_defrag_part root = { .path = "/" };
	const uint32_t has_list = order == F2FS_DEFRAG_LIST;
	struct f2fs_defrag_options options = { F2FS_SIZED(f2fs_defrag_options), .order = order,
					       .list = has_list ? &root : NULL,
					       .list_count = has_list,
					       .blocks = chance & 1 ? 200 : 0,
					       .free_goal = chance & 2 ? 12 : 0,
					       .move_pinned = (chance & 4) != 0,
					       .dry_run = 1 };
	struct f2fs_defrag_result would = { F2FS_SIZED(f2fs_defrag_result) },
				  found = { F2FS_SIZED(f2fs_defrag_result) };
	int err, other = f2fs_defrag(vol, &options, &would);

	options.dry_run = 0;
	err = f2fs_defrag(vol, &options, &found);
	require(err == 0 || f2fs_context_error(ctx)->code == err, "a failure without its error");
	require(!is_sound || err != 0 || found.unconfirmed + found.unreadable == 0, "sound blocks were left alone");
	require(!is_sound || (err == other && memcmp(&would, &found, sizeof(found)) == 0),
		"a rehearsal that is not so");
}

static void defragment(struct f2fs_context *ctx, struct f2fs_device *dev, const struct compact *c)
{
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options), .recover = F2FS_RECOVER_APPLY };
	const int is_sound = is_sound_recovered(ctx, dev);
	struct f2fs_volume *vol;
	uint64_t before;

	if (f2fs_volume_open(ctx, dev, &open, &vol) != 0)
		return;
	before = is_sound ? contents(vol) : 0;
	look(ctx, vol);
	for (uint32_t order = F2FS_DEFRAG_SCORE; order <= F2FS_DEFRAG_SPACE; order++)
		put_in_order(ctx, vol, order, c->size >> order, is_sound);
	f2fs_defrag_range(vol, f2fs_volume_geometry(vol)->main_blkaddr, 1000,
			  f2fs_volume_geometry(vol)->end_blkaddr - 1, 1, NULL);
	require(before == 0 || contents(vol) == before, "putting it in order changed what the volume holds");
	f2fs_volume_close(vol);
	require(before == 0 || problems(ctx, dev) == 0, "putting it in order damaged the volume");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	return fuzz_on_image(data, size, MEMORY_LIMIT, defragment);
}
