/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Names of a directory of the host.
 */
#ifndef F2FSKIT_SOURCE_HOSTNAMES_H
#define F2FSKIT_SOURCE_HOSTNAMES_H

#include <stdbool.h>

#include "base/vec.h"

/* A name in a directory of the host. */
struct host_name {
	bool is_dir, is_file; /* directory, regular file: as far as the directory itself tells */
	char name[]; /* NUL-terminated */
};

/*
 * Read all names but . and .. of an open directory, in the order of their bytes, into a list of struct host_name *.
 * Free it with host_names_free(), also after a failure: then it holds the names read so far.
 */
int host_names_read(struct f2fs_context *ctx, int fd, struct vec *names);
void host_names_free(struct vec *names);

#endif
