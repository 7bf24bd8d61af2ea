/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A sparse file as the volume's device: what is written lies over it. The new file has the old one's ranges that nobody
 * cares for, less what was written.
 */
#include "sload/sparse_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/sparse_output.h"

static const char *temporary_directory(void)
{
	const char *path = getenv("TMPDIR");

	return path && path[0] ? path : "/tmp";
}

/* The layers: the file, its contents, changes over them, and on top what remembers zeros. */
static int open_layers(struct f2fs_context *ctx, const char *path, struct f2fs_device **out)
{
	struct f2fs_device *file, *contents, *overlay;
	int rc = f2fs_device_open(ctx, path, F2FS_OPEN_READ, &file);

	if (rc)
		return rc;
	rc = f2fs_device_new_sparse(file, &contents);
	f2fs_device_close(file);
	if (rc)
		return rc;
	rc = f2fs_device_new_overlay(contents, 0, temporary_directory(), &overlay);
	f2fs_device_close(contents);
	return rc ? rc : sparse_output_over(ctx, overlay, out);
}

int sload_sparse_open(struct sload_sparse *s, struct cli *cli, struct f2fs_context *ctx, const char *path)
{
	s->path = path;
	s->volume = NULL;
	s->device = NULL;
	if (!open_layers(ctx, path, &s->device) && !f2fs_volume_open(ctx, s->device, NULL, &s->volume))
		return 0;
	cli_error_of(cli, ctx, path);
	return -1;
}

static int replace(struct cli *cli, const char *new_path, const char *path)
{
	struct stat st;

	if ((stat(path, &st) == 0 && chmod(new_path, st.st_mode & 07777) != 0) || rename(new_path, path) != 0) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		unlink(new_path);
		return -1;
	}
	return 0;
}

int sload_sparse_save(struct sload_sparse *s, struct cli *cli, struct f2fs_context *ctx)
{
	const uint32_t block_size = f2fs_volume_geometry(s->volume)->block_size;
	const size_t room = strlen(s->path) + sizeof(".new");
	char *new_path = malloc(room);
	int rc;

	if (!new_path) {
		cli_error(cli, "out of memory");
		return -1;
	}
	snprintf(new_path, room, "%s.new", s->path);
	rc = sparse_output_save(cli, ctx, s->device, block_size, new_path, 0);
	if (!rc)
		rc = replace(cli, new_path, s->path);
	free(new_path);
	return rc;
}

void sload_sparse_close(struct sload_sparse *s)
{
	f2fs_volume_close(s->volume);
	f2fs_device_close(s->device);
}
