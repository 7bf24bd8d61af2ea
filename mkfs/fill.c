/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a new volume: open it and let the library copy.
 */
#include "fill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <f2fskit/gc.h>
#include <f2fskit/engine.h>

#include "cli/copy_in.h"
#include "cli/image.h"
#include "host/temporary.h"

void fill_prepare(const struct cli *cli, struct arguments *a)
{
	struct f2fs_populate_options *options = &a->in.options;

	options->keep = F2FS_KEEP_DEFAULT;
	options->flags |= F2FS_POPULATE_PACK;
	if (a->owner_given) {
		options->keep &= ~(unsigned)F2FS_KEEP_OWNER;
		options->uid = a->options.root_uid;
		options->gid = a->options.root_gid;
	}
	if (a->options.has_time || cli->has_epoch) {
		options->has_time = 1;
		options->time.seconds = a->options.has_time ? a->options.time : cli->epoch;
	}
}

/* Put a stream that can be read once only into a temporary file, which stays open until the program ends. */
static int make_seekable(struct cli *cli, const struct f2fs_input *stream, struct f2fs_input *input)
{
	char buffer[65536];
	FILE *file;
	ssize_t n;

	if (!stream || stream->path || lseek(stream->fd, 0, SEEK_CUR) >= 0)
		return 0;
	file = tmpfile();
	if (!file) {
		cli_error(cli, "cannot make a temporary file: %s", strerror(errno));
		return -1;
	}
	while ((n = cli_read(stream->fd, buffer, sizeof(buffer))) > 0) {
		if (fwrite(buffer, 1, (size_t)n, file) != (size_t)n)
			break;
	}
	if (n != 0 || fflush(file) != 0) {
		cli_error(cli, "cannot keep the standard input in a temporary file: %s", strerror(errno));
		fclose(file);
		return -1;
	}
	rewind(file);
	input->fd = fileno(file);
	return 0;
}

/* Add the keys; the first one is the policy's. 0, or -1 after a message. */
static int take_keys(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_volume *vol)
{
	if (cli_keys_add(cli, &a->keys, ctx, vol))
		return -1;
	if (!f2fs_volume_key_at(vol, 0, &a->policy.key))
		return 0;
	cli_error(cli, "--key: there is no key in %s", a->keys.paths[0]);
	return -1;
}

static int make_encrypted(const struct arguments *a, struct f2fs_volume *vol)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new),
				       .mode = 0040755, .uid = a->options.root_uid, .gid = a->options.root_gid };
	struct f2fs_inode *root, *dir;
	int rc = f2fs_lookup(vol, "/", 0, &root);

	if (rc)
		return rc;
	rc = f2fs_create(root, a->encrypt, strlen(a->encrypt), &spec, &dir);
	f2fs_inode_close(root);
	if (rc)
		return rc;
	rc = f2fs_inode_encrypt(dir, &a->policy);
	f2fs_inode_close(dir);
	return rc;
}

int fill_encrypt(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_volume *vol)
{
	int rc = take_keys(cli, ctx, a, vol);

	if (rc)
		return rc;
	a->in.options.target = a->encrypt;
	rc = make_encrypted(a, vol);
	if (rc)
		cli_error_of(cli, ctx, "--encrypt");
	return rc;
}

/* What encrypts each volume that is tried for its size. */
struct trial {
	struct cli *cli;
	struct f2fs_context *ctx;
	struct arguments *a;
	int is_told; /* a message has reported the error */
};

static int prepare(void *user, struct f2fs_volume *vol)
{
	struct trial *trial = user;

	trial->is_told = take_keys(trial->cli, trial->ctx, trial->a, vol) != 0;
	if (trial->is_told)
		return f2fs_context_fail(trial->ctx, F2FS_ERR_INVALID, "no key");
	return make_encrypted(trial->a, vol);
}

/* Names that are encrypted have other places in each run. */
static uint64_t spare(const struct f2fs_mkfs_options *o)
{
	return (uint64_t)F2FS_SEGMENT_BLOCKS * (o->block_size ? o->block_size : 4096) *
	       (o->segs_per_sec ? o->segs_per_sec : 1) * (o->secs_per_zone ? o->secs_per_zone : 1);
}

/* A volume that holds it all, compressed as asked for or not at all: of `enough` bytes (0: none is), else the smallest;
 * the context has the error. */
static int measure(struct trial *trial, int is_compressed, uint64_t enough, uint64_t *size)
{
	struct arguments *a = trial->a;
	struct f2fs_populate_options options = a->in.options;

	options.struct_size = sizeof(options);
	options.enough = enough;
	if (!is_compressed)
		options.compression = NULL;
	if (a->encrypt) {
		options.target = a->encrypt;
		options.prepare = prepare;
		options.prepare_user = trial;
	}
	return f2fs_populate_size(trial->ctx, &a->options, &options, host_temporary_directory(), size);
}

static int find_size(struct trial *trial, uint64_t *size)
{
	const struct arguments *a = trial->a;

	if (measure(trial, 1, 0, size)) {
		if (!trial->is_told)
			cli_error_of(trial->cli, trial->ctx, a->in.source);
		return -1;
	}
	if (a->encrypt)
		*size += spare(&a->options);
	return 0;
}

int fill_size(struct cli *cli, struct f2fs_context *ctx, struct arguments *a)
{
	struct trial trial = { .cli = cli, .ctx = ctx, .a = a };
	uint64_t size;

	if (make_seekable(cli, a->in.options.tar, &a->in.input) ||
	    make_seekable(cli, a->in.options.manifest, &a->in.manifest))
		return -1;
	if (find_size(&trial, &size))
		return -1;
	if (a->sparse) {
		a->sparse = size;
		return 0;
	}
	a->size = size;
	a->has_size = 1;
	return 0;
}

/* Contents that are not compressed are not read for it, so that is tried first. Within a disk, areas are aligned with
 * its start, which can make them end a zone earlier. */
int fill_fits(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *device)
{
	const struct f2fs_device_info *info = f2fs_device_info(device->device);
	const uint64_t zone = info->start_sector ? spare(&a->options) : 0;
	const uint64_t bytes = (device->size ? device->size : info->size) + zone;
	struct trial trial = { .cli = cli, .ctx = ctx, .a = a };
	uint64_t size = 0;
	int err = cli_copy_in_is_stream(&a->in) ? 0 : measure(&trial, 0, bytes, &size);

	if (!err && size > bytes && a->in.options.compression)
		err = measure(&trial, 1, bytes, &size);
	if (err == F2FS_ERR_CANCELED) {
		cli_error_of(cli, ctx, a->in.source);
		return -1;
	}
	if (err || size <= bytes) /* the copy reports any other error */
		return 0;
	cli_error(cli, CLI_COPY_IN_NEEDS, a->in.source, cli_mebibytes(size));
	cli_error(cli, "%s has %llu: nothing was overwritten", a->paths[0], (unsigned long long)(bytes >> 20));
	return -1;
}

int fill_volume(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *devices)
{
	struct f2fs_device *more[F2FS_MAX_DEVICES];
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
					     .devices = more, .device_count = a->count - 1 };
	/* how long it takes to fill leaves no mark */
	const struct f2fs_write_options writing = { F2FS_SIZED(f2fs_write_options), .clock_stands = 1 };
	const struct f2fs_gc_options cleaning = { F2FS_SIZED(f2fs_gc_options), .policy = F2FS_GC_GREEDY };
	struct cli_copy_in *in = &a->in;
	struct f2fs_volume *vol;
	int rc;

	for (unsigned i = 1; i < a->count; i++)
		more[i - 1] = devices[i].device;
	if (f2fs_volume_open(ctx, devices[0].device, &options, &vol)) {
		cli_error_of(cli, ctx, a->paths[0]);
		return -1;
	}
	rc = f2fs_volume_configure(vol, &writing);
	if (!rc)
		rc = f2fs_volume_set_gc(vol, &cleaning);
	if (rc)
		cli_error_of(cli, ctx, a->paths[0]);
	else if (a->encrypt)
		rc = fill_encrypt(cli, ctx, a, vol);
	if (rc) {
		f2fs_volume_close(vol);
		return -1;
	}
	in->mkfs = &a->options;
	rc = cli_copy_in_commit(in, cli, vol, a->paths[0]);
	if (rc >= 0 && !a->quiet && !a->json)
		cli_copy_in_say(in);
	f2fs_volume_close(vol);
	return rc;
}
