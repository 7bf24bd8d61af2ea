/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a volume from arguments.
 */
#include "cli/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_DEVICES = 8 };

struct finder {
	struct f2fs_context *ctx;
	const char *image;
	unsigned flags;
};

static int is_block_device(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISBLK(st.st_mode);
}

/* The file of that name in the directory of the image. Free the result. */
static char *beside_image(const char *image, const char *path)
{
	const char *slash = strrchr(image, '/'), *base = strrchr(path, '/');
	size_t n = slash ? (size_t)(slash - image) + 1 : 0;
	char *both;

	base = base ? base + 1 : path;
	both = malloc(n + strlen(base) + 1);
	if (both) {
		memcpy(both, image, n);
		strcpy(both + n, base);
	}
	return both;
}

static int find_device(void *user, const char *path, struct f2fs_device **out)
{
	const struct finder *finder = user;
	char *near = beside_image(finder->image, path), message[200], shown[120];
	int rc = F2FS_ERR_NOT_FOUND;

	if (!near)
		return f2fs_context_fail(finder->ctx, F2FS_ERR_NOMEM, "out of memory");
	if (is_block_device(path))
		rc = f2fs_device_open(finder->ctx, path, finder->flags, out);
	else
		rc = f2fs_device_open_image(finder->ctx, near, finder->flags, out);
	if (rc == F2FS_ERR_NOT_FOUND) {
		f2fs_text_printable(path, strlen(path), shown, sizeof(shown));
		snprintf(message, sizeof(message),
			 "the volume goes on on '%s', which is not beside the image: give it with --device", shown);
		f2fs_context_fail(finder->ctx, rc, message);
	}
	free(near);
	return rc;
}

static void close_all(struct f2fs_device *const *devices, unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		f2fs_device_close(devices[i]);
}

static int open_given(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image,
		      struct f2fs_device **devices)
{
	for (unsigned i = 0; i < image->device_count; i++) {
		int rc = f2fs_device_open_image(ctx, image->devices[i], image->flags, &devices[i]);

		if (rc) {
			cli_error_of(cli, ctx, image->devices[i]);
			close_all(devices, i);
			return rc;
		}
	}
	return 0;
}

int cli_open_volume(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image, struct f2fs_volume **out)
{
	struct finder finder = { ctx, image->path, image->flags };
	struct f2fs_open_options options = { .mode = image->mode,
					     .pack = image->pack,
					     .offset = image->offset,
					     .open_device = find_device,
					     .user = &finder };
	struct f2fs_device *first, *more[MAX_DEVICES];
	int rc;

	if (image->device_count > MAX_DEVICES) {
		cli_error(cli, "a volume has at most %d devices", MAX_DEVICES);
		return F2FS_ERR_INVALID;
	}
	rc = open_given(cli, ctx, image, more);
	if (rc)
		return rc;
	rc = f2fs_device_open_image(ctx, image->path, image->flags, &first);
	if (!rc) {
		if (image->device_count > 0) {
			options.devices = more;
			options.device_count = image->device_count;
		}
		rc = f2fs_volume_open(ctx, first, &options, out);
		f2fs_device_close(first);
	}
	close_all(more, image->device_count);
	if (rc)
		cli_error_of(cli, ctx, image->path);
	return rc;
}
