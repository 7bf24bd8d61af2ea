/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * An entry of a source: its data, and pieces of its contents.
 */
#ifndef F2FSKIT_SOURCE_ITEM_H
#define F2FSKIT_SOURCE_ITEM_H

#include <f2fskit/tree.h>
#include <stdbool.h>

#include "format/inode.h"

/* Data that an item has. Missing data has a default. */
enum source_given {
	GIVEN_MODE = 1,
	GIVEN_OWNER = 2,
	GIVEN_MTIME = 4,
	GIVEN_ATIME = 8,
	GIVEN_CTIME = 16,
	GIVEN_CRTIME = 32,
	GIVEN_FLAGS = 64,
	GIVEN_PROJECT = 128
};

/* One entry of a source. Pointers are the source's and good until the next call of its functions. */
struct source_item {
	unsigned given;	 /* enum source_given */
	unsigned forced; /* GIVEN_MODE, _OWNER, _MTIME (all times): applied whatever is to be kept */
	uint32_t mode;	 /* type, and permissions with GIVEN_MODE */
	uint32_t uid, gid;
	uint32_t rdev_major, rdev_minor;
	uint32_t flags, projid;
	uint64_t size;	 /* of a regular file; the source corrects it while it gives the contents */
	uint64_t stored; /* bytes of it that are no holes, as far as the source knows */
	bool has_holes;	 /* there after prepare() */
	struct f2fs_time atime, mtime, ctime, crtime;
	const char *target; /* of a symbolic link, not NUL-terminated; there after prepare() */
	size_t target_length;
	const char *link; /* a further name of the file with this path below the top */
	bool has_links;	  /* other items may be the same file; then they have the same dev and ino */
	bool is_known;	  /* the caller has the file by another name: prepare() need not open its contents */
	uint64_t dev, ino;
	uint32_t nlink;		    /* names that it has, 0: not known */
	bool is_listed, is_capable; /* fs_config has a line for it, and that has capabilities */
	bool lacks_attributes;	    /* some could not be read: those in the volume stay */
	bool has_no_contents; /* with only_describes: nothing is known of a regular file's contents but their size */
};

/* A piece of a file's contents, holes left out; pieces come in order. */
struct source_chunk {
	const void *data;
	uint64_t offset;
	size_t length; /* 0: no more */
};

#endif
