/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Options of copying out of the volume. The work is the library's (f2fskit/tree.h).
 */
#ifndef F2FSKIT_DUMP_COPY_OPTIONS_H
#define F2FSKIT_DUMP_COPY_OPTIONS_H

#include <f2fskit/tree.h>

#include "dump/run.h"

enum copy_option {
	COPY_NONE,
	COPY_INCLUDE,
	COPY_EXCLUDE,
	COPY_STRIP,
	COPY_RELATIVE,
	COPY_KEEP,
	COPY_REQUIRE,
	COPY_UID_MAP,
	COPY_GID_MAP,
	COPY_EXISTING,
	COPY_ENCRYPTED,
	COPY_THREADS,
	COPY_MAX_BYTES,
	COPY_SYNC,
	COPY_COMPRESS,
	COPY_MANIFEST, /* from here on the lists, in the order of list_paths */
	COPY_FS_CONFIG,
	COPY_FILE_CONTEXTS,
	COPY_MOUNT_POINT
};
enum { COPY_LISTS = COPY_MOUNT_POINT - COPY_MANIFEST };

struct copy_options {
	struct f2fs_extract_options extract;
	const char **include, **exclude;
	struct f2fs_id_map *uid_map, *gid_map;
	const char *list_paths[COPY_LISTS]; /* NULL: not wanted; "-": standard output */
	/* of f2fs-tools */
	const char *base_path; /* -o */
	int preserve;	       /* -P */
	int force, answer_no;  /* -f -y, -N */
};

/* Room for as many patterns and maps as there are arguments. Returns 0, or -1 when memory is short; fini in any case.
 */
int copy_options_init(struct copy_options *c, int argc);
void copy_options_fini(struct copy_options *c);
/* Take one option. Returns NULL, or an error text about its value. */
const char *copy_take_option(struct copy_options *c, enum copy_option option, const char *value);

/* Parts of it. */
const char *copy_parse_keep(const char *text, unsigned *bits);
const char *copy_parse_existing(const char *text, int *out);
const char *copy_parse_encrypted(const char *text, int *out);
const char *copy_parse_id_map(const char *text, struct f2fs_id_map *out);
/* How many lists go to the standard output? */
unsigned copy_lists_to_stdout(const struct copy_options *c);
/* The compression that an archive's name asks for, NULL for none. */
const char *copy_filter_of_name(const char *path);

#endif
