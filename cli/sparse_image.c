/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Change an Android sparse file. The device is a layer with the writes over the old file. Saving makes a new file. Its
 * "don't care" ranges are those of the old file without the writes. A program that holds the lock of the old file takes
 * that of the new file before renaming it. A new file that a killed program left, without a lock, is removed by the
 * next program.
 */
#include "cli/sparse_image.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/host_attributes.h"
#include "cli/image.h"
#include "cli/sparse_output.h"
#include "host/temporary.h"

#define NEW_SUFFIX ".f2fskit-new"

struct sparse_image {
	struct f2fs_context *ctx;
	struct f2fs_device *device; /* on top: what remembers changes and zeros */
	struct f2fs_device *saved;  /* the file that was saved last, for its lock */
	unsigned flags;
	uint32_t block_size; /* bytes, of the sparse file */
	struct sparse_change change;
	char path[PATH_MAX]; /* the file itself, where a link led to it */
	char new_path[PATH_MAX + sizeof(NEW_SUFFIX)];
};

/* The new file has the old one's blocks: its header is a valid one. */
static void read_block_size(struct sparse_image *s, struct f2fs_device *file)
{
	uint8_t raw[4];

	if (f2fs_device_read(file, 12, raw, sizeof(raw)) == 0)
		s->block_size = raw[0] | (uint32_t)raw[1] << 8 | (uint32_t)raw[2] << 16 | (uint32_t)raw[3] << 24;
}

/* The layers: the file, its contents, changes over them, and on top what remembers zeros. */
static int open_layers(struct sparse_image *s)
{
	struct f2fs_device *file, *contents, *overlay;
	int rc = f2fs_device_open(s->ctx, s->path, s->flags, &file);

	if (rc)
		return rc;
	rc = f2fs_device_open_sparse(file, &contents);
	if (!rc)
		read_block_size(s, file);
	f2fs_device_close(file);
	if (rc)
		return rc;
	rc = f2fs_device_open_overlay(contents, 0, host_temporary_directory(), &overlay);
	f2fs_device_close(contents);
	return rc ? rc : sparse_output_over(s->ctx, overlay, &s->change, &s->device);
}

/* A new file takes the place of one name. */
static int refuse_other_names(struct sparse_image *s)
{
	char message[160];
	struct stat st;

	if (stat(s->path, &st) != 0 || st.st_nlink < 2)
		return 0;
	snprintf(message, sizeof(message),
		 "this sparse file has %llu names (hard links), and a new one would take the place of one of them: "
		 "copy it to change it",
		 (unsigned long long)st.st_nlink);
	return f2fs_context_fail(s->ctx, F2FS_ERR_UNSUPPORTED, message);
}

int sparse_image_open(struct f2fs_context *ctx, const char *path, unsigned flags, struct sparse_image **out)
{
	struct sparse_image *s = calloc(1, sizeof(*s));
	int rc = 0;

	if (!s)
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "out of memory");
	s->ctx = ctx;
	s->flags = flags;
	if (!realpath(path, s->path))
		rc = f2fs_context_fail(ctx, F2FS_ERR_NOT_FOUND, strerror(errno));
	snprintf(s->new_path, sizeof(s->new_path), "%s" NEW_SUFFIX, s->path);
	if (!rc)
		rc = refuse_other_names(s);
	if (!rc)
		rc = open_layers(s);
	if (rc)
		free(s);
	else
		*out = s;
	return rc;
}

struct f2fs_device *sparse_image_device(struct sparse_image *image)
{
	return f2fs_device_ref(image->device);
}

/* The space after the end of the image, which starts as "don't care". */
static int open_tail(struct sparse_image *s, uint64_t length, struct f2fs_device **out)
{
	struct f2fs_device *memory, *overlay;
	int rc = f2fs_device_open_memory(s->ctx, length, &memory);

	if (rc)
		return rc;
	rc = f2fs_device_open_overlay(memory, 0, host_temporary_directory(), &overlay);
	f2fs_device_close(memory);
	return rc ? rc : sparse_output_over(s->ctx, overlay, &s->change, out);
}

int sparse_image_set_length(struct sparse_image *s, uint64_t length)
{
	const uint64_t old = f2fs_device_info(s->device)->size;
	struct f2fs_device_part parts[2] = { { s->device, 0, old }, { NULL, 0, length - old } };
	struct f2fs_device *device;
	int rc;

	if (length <= old) {
		rc = f2fs_device_open_slice(s->device, 0, length, &device);
	} else {
		rc = open_tail(s, length - old, &parts[1].device);
		if (!rc)
			rc = f2fs_device_open_multi(s->ctx, parts, 2, &device);
		f2fs_device_close(parts[1].device);
	}
	if (rc)
		return rc;
	f2fs_device_close(s->device);
	s->device = device;
	s->change.is_changed = 1;
	return 0;
}

static int fail(struct cli *cli, const char *path)
{
	cli_error(cli, "%s: %s", path, strerror(errno));
	return -1;
}

/* Remove the temporary file of a killed program, unless a running one has locked it. */
static int remove_leftover(struct sparse_image *s, struct cli *cli)
{
	struct f2fs_device *left;
	int rc = f2fs_device_open(s->ctx, s->new_path, F2FS_OPEN_WRITE | F2FS_OPEN_EXCLUSIVE, &left);

	if (rc == F2FS_ERR_NOT_FOUND)
		return 0;
	if (rc) {
		cli_error_of(cli, s->ctx, NULL);
		return -1;
	}
	rc = unlink(s->new_path) ? fail(cli, s->new_path) : 0;
	f2fs_device_close(left);
	return rc;
}

/* Make the new file, at first for its owner alone. */
static int make_file(struct sparse_image *s, struct cli *cli)
{
	const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
	int fd = open(s->new_path, flags, 0600);

	if (fd < 0 && errno == EEXIST) {
		if (remove_leftover(s, cli))
			return -1;
		fd = open(s->new_path, flags, 0600);
	}
	return fd < 0 ? fail(cli, s->new_path) : fd;
}

static int copy_attributes(struct sparse_image *s, struct cli *cli, int to)
{
	int from = open(s->path, O_RDONLY | O_CLOEXEC);
	int rc;

	if (from < 0)
		return fail(cli, s->path);
	rc = cli_copy_attributes(cli, s->path, from, to);
	close(from);
	return rc;
}

/* Create an empty file, lock it, and give it mode, owner and attributes of the old one. */
static int begin_file(struct sparse_image *s, struct cli *cli, struct f2fs_device **out)
{
	const int fd = make_file(s, cli);
	int rc;

	if (fd < 0)
		return -1;
	rc = f2fs_device_open(s->ctx, s->new_path, F2FS_OPEN_WRITE, out);
	if (rc) { /* another program has it, without the lock of the old file */
		cli_error_of(cli, s->ctx, NULL);
	} else if (copy_attributes(s, cli, fd)) {
		unlink(s->new_path);
		f2fs_device_close(*out);
		rc = -1;
	}
	close(fd);
	return rc;
}

/* Write the new file and give it the old one's name. What fails is removed as long as its lock is held. */
static int write_file(struct sparse_image *s, struct cli *cli)
{
	int rc;

	s->change.is_saving = 1;
	rc = sparse_output_save(cli, s->ctx, s->device, s->block_size, s->new_path, 1);
	s->change.is_saving = 0;
	if (rc)
		return -1;
	if (rename(s->new_path, s->path) == 0)
		return 0;
	fail(cli, s->path);
	unlink(s->new_path);
	return -1;
}

int sparse_image_save(struct sparse_image *s, struct cli *cli)
{
	struct f2fs_device *saved;

	if (!s->change.is_changed)
		return 0;
	if (begin_file(s, cli, &saved))
		return -1;
	if (write_file(s, cli)) {
		f2fs_device_close(saved);
		return -1;
	}
	f2fs_device_close(s->saved);
	s->saved = saved;
	if (s->flags & F2FS_OPEN_NO_LOCK) {
		f2fs_device_close(saved);
		s->saved = NULL;
	}
	s->change.is_changed = 0;
	return 0;
}

void sparse_image_close(struct sparse_image *s)
{
	if (!s)
		return;
	f2fs_device_close(s->device);
	f2fs_device_close(s->saved);
	free(s);
}
