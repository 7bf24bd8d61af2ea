/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Print how full a volume is: how_full IMAGE. README.md shows this program.
 */
#include <f2fskit/f2fskit.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	int rc;

	if (argc < 2 || f2fs_context_open(NULL, &ctx))
		return 2;
	rc = f2fs_device_open_image(ctx, argv[1], F2FS_OPEN_READ, &dev);
	if (!rc) {
		rc = f2fs_volume_open(ctx, dev, NULL, &vol);
		f2fs_device_close(dev); /* the volume keeps a reference */
	}
	if (!rc) {
		struct f2fs_volume_stat st = {F2FS_SIZED(f2fs_volume_stat)};

		f2fs_volume_statfs(vol, &st);
		printf("%s: %llu of %llu blocks in use\n", st.label, (unsigned long long)st.valid_blocks,
		       (unsigned long long)st.user_blocks);
		f2fs_volume_close(vol);
	}
	if (rc)
		fprintf(stderr, "%s\n", f2fs_context_error(ctx)->message);
	f2fs_context_close(ctx);
	return rc != 0;
}
