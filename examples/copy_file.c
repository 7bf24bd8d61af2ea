/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Copy a file out of an F2FS image to the standard output: copy_file IMAGE PATH
 */
#include <stdio.h>

#include <f2fskit/f2fskit.h>

/* Whatever way the file is stored (inline, compressed, with holes), it is read like this. */
static int copy(struct f2fs_volume *vol, const char *path)
{
	static char buffer[1 << 16];
	struct f2fs_inode *inode;
	uint64_t offset = 0;
	size_t done = 1;
	int rc = f2fs_lookup(vol, path, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	while (!rc && done > 0) {
		rc = f2fs_inode_read(inode, offset, buffer, sizeof(buffer), &done);
		if (!rc && fwrite(buffer, 1, done, stdout) != done)
			rc = f2fs_context_fail(f2fs_volume_context(vol), F2FS_ERR_IO, "cannot write");
		offset += done;
	}
	f2fs_inode_close(inode);
	return rc;
}

int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;
	int rc;

	if (argc != 3 || f2fs_context_open(NULL, &ctx)) {
		fprintf(stderr, "usage: copy_file IMAGE PATH\n");
		return 2;
	}
	rc = f2fs_device_open_image(ctx, argv[1], F2FS_OPEN_READ, &dev);
	if (!rc) {
		rc = f2fs_volume_open(ctx, dev, NULL, &vol);
		f2fs_device_close(dev);
	}
	if (!rc) {
		rc = copy(vol, argv[2]);
		f2fs_volume_close(vol);
	}
	if (rc)
		fprintf(stderr, "copy_file: %s\n", f2fs_context_error(ctx)->message);
	f2fs_context_close(ctx);
	return rc || fflush(stdout) ? 1 : 0;
}
