/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Opening a volume from arguments.
 */
#include "cli/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/in_partition.h"
#include "cli/size.h"
#include "cli/sparse_image.h"
#include "cli/state.h"
#include "host/temporary.h"

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
		memcpy(both + n, base, strlen(base) + 1);
	}
	return both;
}

static int refuse_device(struct f2fs_context *ctx, const char *path)
{
	char message[300], shown[120];

	f2fs_text_printable(path, strlen(path), shown, sizeof(shown));
	snprintf(message, sizeof(message),
		 "the volume continues on '%s': name that device with --device, or trust the volume with "
		 "--trust-devices",
		 shown);
	return f2fs_context_fail(ctx, F2FS_ERR_NOT_FOUND, message);
}

static int find_named(const struct cli_opened *finder, const char *path, struct f2fs_device **out)
{
	char *near;
	int rc;

	if (is_block_device(path) && (finder->trust_devices || is_block_device(finder->path)))
		return f2fs_device_open(finder->ctx, path, finder->flags, out);
	if (!finder->trust_devices)
		return refuse_device(finder->ctx, path);
	near = beside_image(finder->path, path);
	if (!near)
		return f2fs_context_fail(finder->ctx, F2FS_ERR_NOMEM, "out of memory");
	rc = f2fs_device_open_image(finder->ctx, near, finder->flags, out);
	free(near);
	if (rc == F2FS_ERR_NOT_FOUND)
		rc = f2fs_device_open_image(finder->ctx, path, finder->flags, out);
	return rc == F2FS_ERR_NOT_FOUND ? refuse_device(finder->ctx, path) : rc;
}

static int find_device(void *user, const char *path, struct f2fs_device **out)
{
	const struct cli_opened *finder = user;
	int rc = find_named(finder, path, out);

	if (rc || !finder->read_log)
		return rc;
	rc = read_log_add(finder->read_log, out, path);
	if (rc)
		f2fs_device_close(*out);
	return rc;
}

unsigned cli_image_flags(const struct cli_image *image)
{
	return image->flags | (image->no_lock ? F2FS_OPEN_NO_LOCK : 0);
}

static int open_given(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image,
		      struct cli_opened *opened)
{
	for (unsigned i = 0; i < image->device_count; i++) {
		int rc = f2fs_device_open_image(ctx, image->devices[i], opened->flags, &opened->more[i]);

		if (!rc && opened->read_log)
			rc = read_log_add(opened->read_log, &opened->more[i], image->devices[i]);
		if (rc) {
			cli_error_of(cli, ctx, image->devices[i]);
			return rc;
		}
		opened->options.device_count = i + 1;
	}
	return 0;
}

const char *cli_image_take(struct cli_image *image, int id, const char *value)
{
	switch (id) {
	case CLI_IMAGE_offset:
		return cli_parse_size(value, 1, 512, &image->offset);
	case CLI_IMAGE_partition:
		image->partition = value;
		return NULL;
	case CLI_IMAGE_device:
		if (image->device_count == CLI_MAX_DEVICES)
			return "is one device too many";
		image->given[image->device_count++] = value;
		image->devices = image->given;
		return NULL;
	case CLI_IMAGE_state:
		return cli_state_take(image, value);
	case CLI_IMAGE_key:
		return cli_keys_take(&image->keys, value);
	case CLI_IMAGE_passphrase:
		return cli_keys_take_passphrase(&image->keys, value);
	case CLI_IMAGE_trust_devices:
		image->trust_devices = 1;
		return NULL;
	case CLI_IMAGE_accept_unread:
		image->accept_unread = 1;
		return NULL;
	case CLI_IMAGE_accept_foreign:
		image->accept_foreign = 1;
		return NULL;
	case CLI_IMAGE_no_lock:
		image->no_lock = 1;
		return NULL;
	default:
		return "is not known";
	}
}

static int open_first(struct f2fs_context *ctx, const struct cli_image *image, struct cli_opened *out)
{
	int rc = f2fs_device_open_image(ctx, image->path, out->flags, &out->device);

	if (rc != F2FS_ERR_READ_ONLY || !image->saves || !(out->flags & F2FS_OPEN_WRITE))
		return rc;
	rc = sparse_image_open(ctx, image->path, out->flags, &out->sparse);
	if (!rc)
		out->device = sparse_image_device(out->sparse);
	return rc;
}

int cli_image_try(struct f2fs_context *ctx, const struct cli_image *image, unsigned flags)
{
	struct cli_opened opened = { .flags = flags | (image->no_lock ? F2FS_OPEN_NO_LOCK : 0) };
	int rc = open_first(ctx, image, &opened);

	cli_image_close(&opened);
	return rc;
}

int cli_image_open(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image, struct cli_opened *out)
{
	int rc;

	memset(out, 0, sizeof(*out));
	out->ctx = ctx;
	out->path = image->path;
	out->flags = cli_image_flags(image);
	out->trust_devices = image->trust_devices;
	out->keys = image->keys;
	out->read_log = image->read_log;
	out->options.struct_size = sizeof(out->options);
	out->options.mode = image->mode;
	out->options.pack = image->pack;
	out->options.offset = image->offset;
	out->options.recover = image->recover;
	out->options.accept_unread = image->accept_unread;
	out->options.accept_foreign = image->accept_foreign;
	out->options.spill_dir = host_temporary_directory();
	out->options.open_device = find_device;
	out->options.user = out;
	if (image->device_count > CLI_MAX_DEVICES) {
		cli_error(cli, "a volume has at most %d devices", CLI_MAX_DEVICES);
		return F2FS_ERR_INVALID;
	}
	rc = open_given(cli, ctx, image, out);
	if (!rc) {
		rc = open_first(ctx, image, out);
		if (!rc && out->read_log && !out->sparse)
			rc = read_log_add(out->read_log, &out->device, image->path);
		if (rc)
			cli_error_of(cli, ctx, image->path);
		else
			rc = cli_partition_enter(cli, image, out);
	}
	if (rc)
		cli_image_close(out);
	else if (image->device_count > 0)
		out->options.devices = out->more;
	return rc;
}

void cli_image_close(struct cli_opened *opened)
{
	f2fs_device_close(opened->device);
	for (unsigned i = 0; i < opened->options.device_count; i++)
		f2fs_device_close(opened->more[i]);
	sparse_image_close(opened->sparse);
	memset(opened, 0, sizeof(*opened));
}

int cli_image_save(struct cli *cli, struct cli_opened *opened)
{
	return opened->sparse ? sparse_image_save(opened->sparse, cli) : 0;
}

int cli_image_set_length(struct cli_opened *opened, uint64_t length)
{
	int rc = sparse_image_set_length(opened->sparse, length);

	if (rc)
		return rc;
	f2fs_device_close(opened->device);
	opened->device = sparse_image_device(opened->sparse);
	return 0;
}

int cli_opened_volume(struct cli *cli, struct cli_opened *opened, struct f2fs_volume **out)
{
	int rc = f2fs_volume_open(opened->ctx, opened->device, &opened->options, out);

	if (rc) {
		cli_error_of(cli, opened->ctx, opened->path);
		return rc;
	}
	rc = cli_keys_add(cli, &opened->keys, opened->ctx, *out);
	if (rc) {
		f2fs_volume_close(*out);
		*out = NULL;
	}
	return rc;
}

int cli_open_volume(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image, struct f2fs_volume **out)
{
	struct cli_image lasting = *image;
	struct cli_opened opened;
	int rc;

	lasting.saves = 0; /* nothing is open to be saved */
	rc = cli_image_open(cli, ctx, &lasting, &opened);
	if (rc)
		return rc;
	rc = cli_opened_volume(cli, &opened, out);
	cli_image_close(&opened);
	return rc;
}

/* ---- undo files ---- */

/* The callback open_device of cli_image_complete(): keep each device found. */
static int collect(void *user, const char *path, struct f2fs_device **out)
{
	struct cli_opened *opened = user;
	int rc = F2FS_ERR_TOO_BIG;

	if (opened->options.device_count < CLI_MAX_DEVICES)
		rc = find_device(opened, path, out);
	if (!rc)
		opened->more[opened->options.device_count++] = f2fs_device_ref(*out);
	return rc;
}

int cli_image_complete(struct cli_opened *opened)
{
	static const int modes[] = { F2FS_MODE_TOLERANT, F2FS_MODE_RESCUE };
	struct f2fs_volume *vol;
	int rc = F2FS_ERR_NOT_F2FS;

	if (opened->options.device_count > 0)
		return 0;
	for (unsigned i = 0; i < 2 && rc == F2FS_ERR_NOT_F2FS; i++) {
		struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
						     .mode = modes[i], .offset = opened->options.offset };

		options.open_device = collect;
		options.user = opened;
		rc = f2fs_volume_open(opened->ctx, opened->device, &options, &vol);
		if (!rc)
			f2fs_volume_close(vol);
	}
	if (opened->options.device_count > 0)
		opened->options.devices = opened->more;
	/* a device that is missing is the end; whether the rest is any good is not asked here */
	return rc == F2FS_ERR_NOT_FOUND || rc == F2FS_ERR_ACCESS || rc == F2FS_ERR_NOMEM ? rc : 0;
}

/* All devices in a row. */
static unsigned list_devices(const struct cli_opened *opened, struct f2fs_device **list)
{
	list[0] = opened->device;
	for (unsigned i = 0; i < opened->options.device_count; i++)
		list[1 + i] = opened->more[i];
	return 1 + opened->options.device_count;
}

int cli_image_record(struct cli_opened *opened, const char *path)
{
	struct f2fs_device *list[1 + CLI_MAX_DEVICES], *layers[1 + CLI_MAX_DEVICES];
	unsigned count;
	int rc = cli_image_complete(opened);

	if (rc)
		return rc;
	count = list_devices(opened, list);
	rc = f2fs_undo_record(list, count, path, layers);
	if (rc)
		return rc;
	for (unsigned i = 0; i < count; i++)
		f2fs_device_close(list[i]); /* its layer has it */
	opened->device = layers[0];
	for (unsigned i = 1; i < count; i++)
		opened->more[i - 1] = layers[i];
	return 0;
}

int cli_image_restore(struct cli_opened *opened, const char *path, int force, struct f2fs_undo_info *info)
{
	struct f2fs_device *list[1 + CLI_MAX_DEVICES], *log;
	int rc = cli_image_complete(opened);

	if (!rc)
		rc = f2fs_device_open(opened->ctx, path, F2FS_OPEN_READ, &log);
	if (rc)
		return rc;
	rc = f2fs_undo_restore(log, list, list_devices(opened, list), force, info);
	f2fs_device_close(log);
	return rc;
}
