/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A range of blocks, as the program of f2fs-tools moves it: its defaults, its line of output.
 */
#include "defrag/moved_range.h"

enum { RANGE_BLOCKS = 512 };

int defrag_range(struct defrag *d)
{
	const struct arguments *a = d->a;
	const struct f2fs_geometry *geo = f2fs_volume_geometry(d->vol);
	const uint64_t end = geo->end_blkaddr;
	uint64_t start = a->start < geo->main_blkaddr ? geo->main_blkaddr : a->start;
	uint64_t length = a->length ? a->length : RANGE_BLOCKS, target = a->target;
	struct f2fs_defrag_range_result result = { F2FS_SIZED(f2fs_defrag_range_result) };
	int rc;

	if (start < end && length > end - start)
		length = end - start;
	if (target == 0)
		target = a->goes_left ? start - 1 : start + length;
	if (start < end && target >= geo->main_blkaddr && target < end) {
		if (start > target)
			printf("Info: Move 0x%llx <- [0x%llx-0x%llx]\n", (unsigned long long)target,
			       (unsigned long long)start, (unsigned long long)(start + length - 1));
		else
			printf("Info: Move [0x%llx-0x%llx] -> 0x%llx\n", (unsigned long long)start,
			       (unsigned long long)(start + length - 1), (unsigned long long)target);
	}
	rc = f2fs_defrag_range(d->vol, start, length, target, a->goes_left, &result);
	if (rc)
		cli_error_of(d->cli, d->ctx, a->image.path);
	else
		printf("Info: %llu blocks moved%s\n", (unsigned long long)result.moved,
		       result.left ? "; sections that are damaged or pinned were left alone" : "");
	return rc;
}
