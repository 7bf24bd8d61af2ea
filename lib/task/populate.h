/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of a run that fills a volume, shared by the walk over the host's tree and the copying of one entry.
 */
#ifndef F2FSKIT_TASK_POPULATE_H
#define F2FSKIT_TASK_POPULATE_H

#include <f2fskit/populate.h>
#include <sys/stat.h>

#include "base/context.h"
#include "base/map32.h"
#include "base/vec.h"

struct populate {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct f2fs_populate_options opt;
	struct f2fs_populate_result *result;
	char *buffer;		 /* POPULATE_BUFFER bytes */
	struct vec path;	 /* char: below the directory, NUL-terminated */
	struct vec links;	 /* struct populate_link */
	struct map32 link_index; /* mix of device and inode -> 1 + number of the first link */
};

#define POPULATE_BUFFER (1u << 20)

/* A file of the host with further links, and what it became. */
struct populate_link {
	uint64_t dev, ino;
	f2fs_nid_t to;
	uint64_t next; /* 1 + number of the next one of the same mix, 0: none */
};

static inline const char *populate_path(const struct populate *p)
{
	return p->path.items;
}

/* Tell of a problem with the entry at hand; the error is in the context. Returns non-zero to end the run. */
int populate_problem(struct populate *p, const char *what);
/* Does an error end the run, rather than being a problem of one entry? */
bool populate_is_fatal(int err);

/* populate_entry.c: copy one entry that is no directory, or make a directory (*made). at: descriptor of its directory.
 */
int populate_entry(struct populate *p, struct f2fs_inode *dir, int at, const char *name, const struct stat *st,
		   struct f2fs_inode **made);
/* Set owner, mode, times and attributes of a directory after its contents. fd is open on it. */
int populate_finish_dir(struct populate *p, struct f2fs_inode *dir, int fd, const struct stat *st);

#endif
