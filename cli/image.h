/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * From arguments to an open volume: the image (a file, an Android sparse file, a block device, a partition in a disk
 * image), and the further devices of a volume on several devices.
 */
#ifndef F2FSKIT_CLI_IMAGE_H
#define F2FSKIT_CLI_IMAGE_H

#include <f2fskit/volume.h>

#include "cli/host.h"
#include "cli/keys.h"
#include "cli/log_reads.h"
#include "cli/opt.h"

enum { CLI_MAX_DEVICES = 8 };

struct cli_image {
	const char *path;
	uint64_t offset; /* byte where the volume starts */
	int is_whole; /* without a partition that is named, open the whole device */
	const char *partition; /* name of the partition that holds the volume; NULL: none was named */
	unsigned flags;	 /* enum f2fs_device_flag */
	/* Further devices, in order. When there are none and the volume's device table names some, these are opened
	 * only when that is trusted, or as block devices of a volume on one: an image of unknown origin cannot make a
	 * program read or write just any file of the host. */
	const char *const *devices;
	unsigned device_count;
	const char *given[CLI_MAX_DEVICES]; /* those that options name */
	struct cli_keys keys;			    /* of encrypted files; added to the volume that is opened */
	int trust_devices, accept_unread, accept_foreign, no_lock;
	struct read_log *read_log; /* of the caller, for the reads of all devices; NULL: none */
	int mode;    /* enum f2fs_open_mode */
	int pack;    /* 0, 1, 2 as in struct f2fs_open_options */
	int recover; /* enum f2fs_open_recover */
	int has_state;	   /* --state was given */
	int is_repaired;   /* show the volume as a repair would leave it */
	const char *as_of; /* show files as of this checkpoint: a version or -N; NULL: as they are */
	/* The program calls cli_image_save(), so that an Android sparse file may be opened for writing. */
	int saves;
};

/* Options that programs share: see cli/opt.h. */
enum cli_image_option {
	CLI_IMAGE_FIRST = CLI_IMAGE_NONE,
#define IMAGE_OPTION(id, letter, name, arg, arg_name, help, doc) CLI_IMAGE_##id,
#include "cli/keys.def"
#include "cli/opening.def"
#include "cli/state.def"
#include "cli/writing.def"
#undef IMAGE_OPTION
	CLI_IMAGE_END,
};

static inline int cli_is_image_option(int id)
{
	return id > CLI_IMAGE_FIRST && id < CLI_IMAGE_END;
}

/* Take one of them. Returns NULL, or an error text about its value. */
const char *cli_image_take(struct cli_image *image, int id, const char *value);

/* The devices of an image, and the options with which its volume is opened on the first one. */
struct cli_opened {
	struct f2fs_device *device;
	struct f2fs_open_options options; /* good as long as this struct stays where it is and open */
	struct f2fs_device *more[CLI_MAX_DEVICES];
	struct f2fs_context *ctx;
	const char *path;
	unsigned flags;
	int trust_devices;
	struct cli_keys keys;
	struct read_log *read_log;
	int is_partition;	     /* device is a partition: it does not end where the file does */
	struct sparse_image *sparse; /* below device; NULL: it is none, or is only read */
};
/* The flags that it is opened with. */
unsigned cli_image_flags(const struct cli_image *image);
/* Open the devices; a message was written when it fails. */
int cli_image_open(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image, struct cli_opened *out);
/* Could the first device be opened with these flags? The context has the error. */
int cli_image_try(struct f2fs_context *ctx, const struct cli_image *image, unsigned flags);
void cli_image_close(struct cli_opened *opened);
/* Write changes of an Android sparse file to the file. They are only in memory before. Returns 0, or -1 after a
 * message. */
int cli_image_save(struct cli *cli, struct cli_opened *opened);
/* Make the first device of an Android sparse file that is changed longer or shorter; the context has the error. */
int cli_image_set_length(struct cli_opened *opened, uint64_t length);
/*
 * Find the further devices that the superblock names, when none were given, so that `more` and the options hold all of
 * the volume's. A volume that cannot be opened has those that opening it asked for.
 */
int cli_image_complete(struct cli_opened *opened);
/* Save overwritten bytes of all devices of the volume in a new file at path; the context has the error. */
int cli_image_record(struct cli_opened *opened, const char *path);
/* A warning after playing back: of which file, records put back, records left. */
#define CLI_UNDO_LEFT                                                                                                  \
	"%s: record %llu cannot be read, and %llu after it were not put back; "                                        \
	"if it was damaged after the recording, check the volume"
/* Play such a file back; force: even if the devices are not as the recording left them. */
int cli_image_restore(struct cli_opened *opened, const char *path, int force, struct f2fs_undo_info *info);

/* Open the volume on devices that stay open; a message was written when it fails. */
int cli_opened_volume(struct cli *cli, struct cli_opened *opened, struct f2fs_volume **out);
/* Open both; a message was written when it fails. */
int cli_open_volume(struct cli *cli, struct f2fs_context *ctx, const struct cli_image *image, struct f2fs_volume **out);

#endif
