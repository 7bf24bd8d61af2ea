/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of a run that fills a volume. The source gives one item after the other. A stack of open directories leads from
 * an item's path to its directory in the volume. It follows the paths, because parents may come late or not at all.
 */
#ifndef F2FSKIT_POPULATE_RUN_H
#define F2FSKIT_POPULATE_RUN_H

#include <f2fskit/populate.h>

#include "base/map32.h"
#include "base/vec.h"
#include "file/change_rules.h"
#include "file/write.h"
#include "format/inode.h"
#include "source/link.h"
#include "source/source.h"

/* Data to make a directory from as soon as one of its entries is made. */
struct populate_noted {
	bool is_given; /* by the source, so that its attributes are applied even if the directory existed before */
	struct source_item item; /* without pointers */
	struct vec attributes;
};

/* One directory of the volume on the path of the current item. */
struct populate_level {
	f2fs_nid_t ino;		/* F2FS_NO_NID: not made until something in it is */
	struct f2fs_inode *dir; /* NULL: not made, or far up */
	size_t path_length;	/* its path is that much of level_path */
	bool is_changed;	/* its times are to be put back */
	struct f2fs_time mtime, ctime;
	struct populate_noted *noted; /* while it is not made */
};

/* How to fill the volume from a source: see struct f2fs_populate_options. */
struct populate_options {
	const char *target;
	unsigned keep; /* enum f2fs_keep */
	uint32_t uid, gid;
	bool has_time;
	struct f2fs_time time;
	const struct f2fs_populate_compression *compression;
	int existing;	/* enum f2fs_existing */
	unsigned flags; /* enum f2fs_populate_flag */
	int (*entry)(void *user, const char *path);
	int (*problem)(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail);
	void *user;
};

struct populate {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct source src;
	struct populate_options opt;
	struct f2fs_populate_result *result;
	bool is_ahead;	   /* counting in advance: problems are reported later, when copying meets them again */
	bool is_of_source; /* the current error is the source's, not the volume's */
	const char *what;  /* the part of the current item that is being copied, for a problem: "" or "contents" */
	struct f2fs_time now;
	struct change_rules ways;  /* of changes through the run's handles */
	uint8_t *zeros;		   /* SOURCE_BUFFER zeros, copied instead of contents; NULL: contents are */
	struct vec levels;	   /* struct populate_level; the first is the target */
	size_t made_levels;	   /* that many of them are made */
	struct vec level_path;	   /* char: path of the last level */
	struct source_links links; /* files of the source with several names */
	struct map32 capable;	   /* inodes that fs_config gave capabilities */
	struct map32 made;	   /* with may_repeat: inodes made in this run */
	struct map32 linked;	   /* inodes that had several names -> enum populate_linked */
	struct vec seen;	   /* with DELETE: uint64_t, a hash of each directory and name that the source has */
	struct map32 visited;	   /* with DELETE: inodes of the source's directories */
	struct map32 spared;	   /* with DELETE: inodes of entries that could not be read */
	bool spares_all;	   /* with DELETE: nothing is deleted */
};

/* An inode of the volume that had several names when one of them was met. */
enum populate_linked {
	POPULATE_LINKED = 1,
	POPULATE_TAKEN = 2 /* and it is a file of the source now */
};

#endif
