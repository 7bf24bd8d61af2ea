/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Contents of files of the host.
 */
#ifndef F2FSKIT_SOURCE_HOSTFILE_H
#define F2FSKIT_SOURCE_HOSTFILE_H

#include <sys/stat.h>

#include "source/source.h"

/* A file whose contents are read in order, holes left out. */
struct host_file {
	int fd; /* -1: none */
	bool has_holes;
	uint64_t at, data_end; /* next byte, end of the run of data it is in */
	const char *bytes;     /* all contents, if they were read in advance; NULL: they were not */
};

/* Open a name in directory at; flags are O_NOFOLLOW or none. */
int host_file_open(struct source *src, struct host_file *file, int at, const char *name, int flags);
/* Use a file that is open as fd, or whose size bytes are there; fd is the host_file's then. */
int host_file_adopt(struct source *src, struct host_file *file, int fd, const char *bytes, const struct stat *st);
/* Look for holes if there may be some. */
void host_file_holes(const struct source *src, struct host_file *file, const struct stat *st);
/* Give the next piece of item->size bytes; a file that gets shorter meanwhile ends there. */
int host_file_read(struct source *src, struct host_file *file, struct source_item *item, struct source_chunk *chunk);
/* Begin again at the first byte. */
void host_file_again(struct host_file *file);
void host_file_close(struct host_file *file);

#endif
