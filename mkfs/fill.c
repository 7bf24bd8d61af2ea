/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Filling a new volume: opens what was just made and lets the library copy.
 */
#include "fill.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/copy_in.h"
#include "cli/image.h"

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
	if (cli->has_epoch) {
		options->has_time = 1;
		options->time.seconds = cli->epoch;
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

int fill_size(struct cli *cli, struct f2fs_context *ctx, struct arguments *a)
{
	uint64_t size;

	if (make_seekable(cli, a->in.options.tar, &a->in.input) ||
	    make_seekable(cli, a->in.options.manifest, &a->in.manifest))
		return -1;
	if (f2fs_populate_size(ctx, &a->options, &a->in.options, cli_temporary_directory(), &size)) {
		cli_error_of(cli, ctx, a->in.source);
		return -1;
	}
	if (a->sparse) {
		a->sparse = size;
		return 0;
	}
	a->size = size;
	a->has_size = 1;
	return 0;
}

/* Make the directory that is to be filled, and encrypt it with the first key. */
static int make_encrypted(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_volume *vol)
{
	const struct f2fs_new spec = { F2FS_SIZED(f2fs_new),
				       .mode = 0040755, .uid = a->options.root_uid, .gid = a->options.root_gid };
	struct f2fs_policy policy = { .version = 2, .contents_mode = 1, .filenames_mode = 4, .flags = 3 };
	struct f2fs_inode *root, *dir;
	int rc = cli_keys_add(cli, &a->keys, ctx, vol);

	if (rc)
		return rc;
	rc = f2fs_volume_key_at(vol, 0, &policy.key);
	if (!rc)
		rc = f2fs_lookup(vol, "/", 0, &root);
	if (rc)
		goto out;
	rc = f2fs_create(root, a->encrypt, strlen(a->encrypt), &spec, &dir);
	f2fs_inode_close(root);
	if (rc)
		goto out;
	rc = f2fs_inode_encrypt(dir, &policy);
	f2fs_inode_close(dir);
	a->in.options.target = a->encrypt;
out:
	if (rc)
		cli_error_of(cli, ctx, "--encrypt");
	return rc;
}

int fill_volume(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, const struct f2fs_mkfs_device *devices)
{
	struct f2fs_device *more[F2FS_MAX_DEVICES];
	struct f2fs_open_options options = { F2FS_SIZED(f2fs_open_options),
					     .devices = more, .device_count = a->count - 1 };
	struct cli_copy_in *in = &a->in;
	struct f2fs_volume *vol;
	int rc;

	for (unsigned i = 1; i < a->count; i++)
		more[i - 1] = devices[i].device;
	if (f2fs_volume_open(ctx, devices[0].device, &options, &vol)) {
		cli_error_of(cli, ctx, a->paths[0]);
		return -1;
	}
	a->writer.options.clock_stands = 1; /* how long it takes to fill leaves no mark */
	rc = cli_writer_apply(&a->writer, vol);
	if (rc)
		cli_error_of(cli, ctx, a->paths[0]);
	else if (a->encrypt)
		rc = make_encrypted(cli, ctx, a, vol);
	if (rc) {
		cli_writer_close(&a->writer, vol);
		f2fs_volume_close(vol);
		return -1;
	}
	in->no_cleaning = a->writer.no_cleaning;
	in->mkfs = &a->options;
	rc = cli_copy_in_commit(in, cli, vol, a->paths[0]);
	if (rc >= 0 && !a->quiet && !a->json)
		cli_copy_in_say(in);
	cli_writer_close(&a->writer, vol);
	f2fs_volume_close(vol);
	return rc;
}
