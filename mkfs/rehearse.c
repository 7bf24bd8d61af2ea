/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A rehearsal in memory. Copying stops at the first entry: by then the source is open, and rules, labels and patterns
 * were read.
 */
#include "rehearse.h"

#include "fill.h"

#include "cli/image.h"

#define REHEARSAL_BYTES (1ull << 30) /* room for a volume of any block size; only written blocks take memory */

static int stop(void *user, const char *path)
{
	(void)user;
	(void)path;
	return 1;
}

static int begin_to_copy(struct cli *cli, struct f2fs_context *ctx, const struct arguments *a, struct f2fs_volume *vol)
{
	struct f2fs_populate_options options = a->in.options;
	int err;

	if (cli_copy_in_is_stream(&a->in))
		return 0;
	options.struct_size = sizeof(options);
	options.entry = stop;
	err = f2fs_populate(vol, &options, NULL);
	if (err && err != F2FS_ERR_CANCELED)
		cli_error_of(cli, ctx, a->in.source);
	return err == F2FS_ERR_CANCELED ? 0 : err;
}

static int rehearse_on(struct cli *cli, struct f2fs_context *ctx, struct arguments *a, struct f2fs_device *memory)
{
	const struct f2fs_mkfs_options *wanted = &a->options;
	const struct f2fs_mkfs_options own = { F2FS_SIZED(f2fs_mkfs_options),
					       .block_size = wanted->block_size, .feature = wanted->feature,
					       .encoding_flags = wanted->encoding_flags };
	const struct f2fs_mkfs_device device = { .device = memory };
	const struct f2fs_open_options open = { F2FS_SIZED(f2fs_open_options) };
	struct f2fs_volume *vol;
	int err = f2fs_mkfs_write(ctx, &device, 1, &own, NULL);

	if (!err)
		err = f2fs_volume_open(ctx, memory, &open, &vol);
	if (err) {
		cli_error_of(cli, ctx, a->paths[0]);
		return err;
	}
	if (a->encrypt)
		err = fill_encrypt(cli, ctx, a, vol);
	if (!err)
		err = begin_to_copy(cli, ctx, a, vol);
	f2fs_volume_close(vol);
	return err;
}

int rehearse(struct cli *cli, struct f2fs_context *ctx, struct arguments *a)
{
	struct f2fs_device *memory;
	int err;

	if (f2fs_device_open_memory(ctx, REHEARSAL_BYTES, &memory)) {
		cli_error_of(cli, ctx, a->paths[0]);
		return -1;
	}
	err = rehearse_on(cli, ctx, a, memory);
	f2fs_device_close(memory);
	return err ? -1 : 0;
}
