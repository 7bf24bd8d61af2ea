/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Directories of the volume on the way to entries, and paths from them.
 */
#ifndef F2FSKIT_SINK_DIR_H
#define F2FSKIT_SINK_DIR_H

#include "sink/sink.h"

int sink_dir_new(struct sink *sink, struct sink_dir *parent, const char *name, size_t length, struct sink_dir **out);
static inline struct sink_dir *sink_dir_ref(struct sink_dir *dir)
{
	dir->refs++;
	return dir;
}
/* Drop a reference. With the last one the sink leaves the directory, and its parent loses one. */
int sink_dir_put(struct sink *sink, struct sink_dir *dir);
/* The same without the sink: after a failure. */
void sink_dir_drop(struct sink *sink, struct sink_dir *dir);
/* Build "/a/b/name", or the directory's own path when name is NULL, in a vec of char; NUL-terminated. */
int sink_full_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name);
/* The same without the first skip components and without a slash before it: "b/name"; "." when nothing is left. */
int sink_short_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name, uint32_t skip);
/*
 * Find the path of an entry below the destination, as sink_full_path() takes it; substitute: its name there, "" or NULL
 * for its own. *path is NULL where that is its path in the volume; else good until the next call.
 */
int sink_host_path(struct sink *sink, struct sink_dir *dir, const char *name, const char *substitute,
		   const char **path);
/* The name of a directory on the host. */
static inline const char *sink_dir_host_name(const struct sink_dir *dir)
{
	return dir->substitute ? dir->substitute : dir->name;
}
/* The whole path, or "..." and its end: see struct f2fs_extract_problem. */
int sink_shown_path(struct sink *sink, struct vec *path, struct sink_dir *dir, const char *name);

#endif
