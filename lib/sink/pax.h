/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Headers of a tar stream: a ustar header, and before it the pax records for all that does not fit into one. Bytes in
 * memory only: the tar sink writes them.
 */
#ifndef F2FSKIT_SINK_PAX_H
#define F2FSKIT_SINK_PAX_H

#include <f2fskit/file.h>

#include "base/vec.h"

#define TAR_BLOCK 512u

/* Types of entries. */
#define TAR_FILE '0'
#define TAR_LINK '1'
#define TAR_SYMLINK '2'
#define TAR_CHARACTER '3'
#define TAR_BLOCK_DEVICE '4'
#define TAR_DIRECTORY '5'
#define TAR_FIFO '6'

/* An entry. Strings are bytes. */
struct pax_entry {
	const char *path;
	const char *link; /* target of a link, NULL for other types */
	char type;
	uint32_t mode, uid, gid;
	uint32_t major, minor;
	uint64_t size; /* bytes that follow in the stream */
	int has_times;
	struct f2fs_time atime, mtime, ctime;
};

/* Add a record "key=value"; the key's '=' and '%' are written as %3D and %25. 0 or F2FS_ERR_NOMEM. */
int pax_add(struct vec *records, const char *key, const void *value, size_t length);
int pax_add_number(struct vec *records, const char *key, uint64_t value);
int pax_add_time(struct vec *records, const char *key, const struct f2fs_time *t);
/*
 * Build the headers of an entry in out (char): the records given and those that the entry needs, and its ustar header.
 */
int pax_build(struct vec *out, struct vec *records, const struct pax_entry *entry);

#endif
