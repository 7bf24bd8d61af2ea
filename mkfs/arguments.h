/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The command line of mkfs.f2fs as the rest of the program sees it.
 */
#ifndef F2FSKIT_MKFS_ARGUMENTS_H
#define F2FSKIT_MKFS_ARGUMENTS_H

#include <f2fskit/mkfs.h>

#include "cli/copy_in.h"
#include "cli/keys.h"
#include "cli/packing.h"
#include "cli/crypt_policy.h"
#include "purpose.h"

struct arguments {
	struct f2fs_mkfs_options options;
	unsigned count;			     /* devices */
	const char *paths[F2FS_MAX_DEVICES]; /* [0]: the operand */
	const char *aliases[F2FS_MAX_DEVICES];
	uint64_t size;	  /* bytes */
	uint64_t sectors; /* size in sectors, whose size is that of the device */
	uint64_t unit;	  /* -w, 0: the device's sector */
	uint64_t offset;  /* bytes */
	const char *partition; /* name of the partition to format; NULL: none */
	uint64_t room;	       /* bytes of that partition, found at offset; 0: none */
	uint64_t sparse;  /* size of a sparse image, 0: none */
	int has_size, has_sectors;
	int is_auto; /* the smallest size that holds the contents */
	int force, no_lock, dry_run, json, quiet, debug;
	struct cli_copy_in in; /* contents to be copied; source NULL: none */
	struct cli_packing packing; /* of them */
	struct cli_keys keys;
	const char *encrypt; /* name of the directory that is filled and encrypted; NULL: the root is filled */
	struct f2fs_policy policy; /* of it */
	int has_policy;
	int owner_given;       /* -R */
	int is_android;
	const struct purpose *purpose; /* NULL: none was named */
	const char *unknown_preset; /* an argument of -g that means nothing */
	int hash_flag_given; /* hashonly or nohashonly */
	/* memory that options points to */
	uint8_t uuid[16];
	char stamp[252];
	char paths_memory[F2FS_MAX_DEVICES][256];
};

extern const struct cli_tool mkfs_tool;

/* Understand the command line. Returns 0, or an enum cli_opt_result after a message. */
int arguments_parse(struct arguments *a, struct cli *cli, int argc, char **argv);

#endif
