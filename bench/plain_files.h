/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A volume of millions of empty files on a device that makes each block from its number when it is read. No disk has to
 * hold it.
 *
 * The root has groups, a group has directories, a directory has 1,000 files. Names are 000 to 999. Node ids follow each
 * other: the root, all groups, all directories, all files. So do blocks: inodes of directories, inodes of files, and
 * blocks of entries, each from a new segment on. The six logs are in empty segments after them. The first copies of the
 * tables are in force, and no journal has an entry.
 */
#ifndef F2FSKIT_BENCH_PLAIN_FILES_H
#define F2FSKIT_BENCH_PLAIN_FILES_H

#include <f2fskit/f2fskit.h>

#define PLAIN_FILES 1000u /* in a directory */

/* What a volume consists of. */
struct plain_counts {
	uint64_t files, directories; /* the root included */
	uint64_t large_names;	     /* names in directories of several blocks */
	uint64_t segments;	     /* in use */
	uint64_t first_file;	     /* block of the first file's inode; those of the others follow */
};

/*
 * Open a device with such a volume, read-only and for several threads. files: a multiple of 1,000; above a million, one
 * of a million, up to a thousand of these. Fails with INVALID (another number), NOMEM.
 */
int plain_files_open(struct f2fs_context *ctx, uint64_t files, struct plain_counts *counts, struct f2fs_device **out);

#endif
