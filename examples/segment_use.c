/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Show how full the segments of an F2FS image are, one character per segment: segment_use IMAGE
 */
#include <stdio.h>

#include <f2fskit/f2fskit.h>

/* '.' free, '0' to '9' by tenths, '#' full; 64 to a line. */
static int show(struct f2fs_volume *vol)
{
	const struct f2fs_geometry *geo = f2fs_volume_geometry(vol);
	uint64_t used = 0;

	for (f2fs_seg_t segno = 0; segno < geo->segment_count_main; segno++) {
		struct f2fs_segment_info sit;
		int rc = f2fs_sit_lookup(vol, segno, &sit);
		unsigned n = rc ? 0 : sit.valid_blocks;

		if (rc)
			return rc;
		putchar(n == 0 ? '.' : n >= F2FS_SEGMENT_BLOCKS ? '#' : (char)('0' + n * 10 / F2FS_SEGMENT_BLOCKS));
		if (segno % 64 == 63)
			putchar('\n');
		used += n;
	}
	printf("\n%llu of %llu blocks are in use\n", (unsigned long long)used,
	       (unsigned long long)geo->segment_count_main * F2FS_SEGMENT_BLOCKS);
	return 0;
}

int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	int rc;

	if (argc != 2 || f2fs_context_open(NULL, &ctx)) {
		fprintf(stderr, "usage: segment_use IMAGE\n");
		return 2;
	}
	rc = f2fs_device_open_image(ctx, argv[1], F2FS_OPEN_READ, &dev);
	if (!rc) {
		rc = f2fs_volume_open(ctx, dev, NULL, &vol);
		f2fs_device_close(dev);
	}
	if (!rc) {
		rc = show(vol);
		f2fs_volume_close(vol);
	}
	if (rc)
		fprintf(stderr, "segment_use: %s\n", f2fs_context_error(ctx)->message);
	f2fs_context_close(ctx);
	return rc ? 1 : 0;
}
