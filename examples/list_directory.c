/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * List a directory of an F2FS image: list_directory IMAGE [PATH]
 */
#include <stdio.h>

#include <f2fskit/f2fskit.h>

static int list(struct f2fs_volume *vol, const char *path)
{
	struct f2fs_inode *inode;
	struct f2fs_dir *dir;
	struct f2fs_dirent entry;
	int rc = f2fs_lookup(vol, path, F2FS_LOOKUP_FOLLOW, &inode);

	if (rc)
		return rc;
	rc = f2fs_dir_open(inode, &dir);
	if (!rc) {
		while ((rc = f2fs_dir_next(dir, &entry)) == 0)
			printf("%10u  %s\n", entry.ino, entry.name);
		if (rc == F2FS_ERR_NOT_FOUND) /* the end */
			rc = 0;
		f2fs_dir_close(dir);
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

	if (argc < 2 || f2fs_context_open(NULL, &ctx)) {
		fprintf(stderr, "usage: list_directory IMAGE [PATH]\n");
		return 2;
	}
	rc = f2fs_device_open_image(ctx, argv[1], F2FS_OPEN_READ, &dev);
	if (!rc) {
		rc = f2fs_volume_open(ctx, dev, NULL, &vol);
		f2fs_device_close(dev); /* the volume keeps a reference */
	}
	if (!rc) {
		rc = list(vol, argc > 2 ? argv[2] : "/");
		f2fs_volume_close(vol);
	}
	if (rc)
		fprintf(stderr, "list_directory: %s\n", f2fs_context_error(ctx)->message);
	f2fs_context_close(ctx);
	return rc ? 1 : 0;
}
