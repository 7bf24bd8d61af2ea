/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State of an extraction: one walk over the volume, and a sink that takes the entries. The walk knows paths, patterns,
 * hard links and problems and nothing of the host.
 */
#ifndef F2FSKIT_EXTRACT_RUN_H
#define F2FSKIT_EXTRACT_RUN_H

#include <f2fskit/tree.h>

#include "base/map32.h"
#include "base/pattern_set.h"
#include "base/vec.h"
#include "sink/sink.h"

/* One listed path, resolved. */
struct extract_target {
	char *path;	/* canonical: "" for the root, "a/b" */
	uint32_t depth; /* components */
	uint32_t strip; /* components taken off names in it */
	f2fs_nid_t ino;
};

/* Facts about names: extract/names.c. */
struct extract_names {
	uint8_t *met;	      /* by node id: the survey met a name */
	uint8_t *made;	      /* by node id: it was extracted */
	struct map32 several; /* inode -> names, when it has more than one */
};

struct extract {
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	struct sink sink;
	const struct f2fs_extract_options *options;
	struct f2fs_extract_result result;

	const struct extract_target *target; /* the current one */
	const char *target_name;	     /* its last component */
	struct sink_dir *dir;		     /* where the walk is: a reference; NULL above the root */
	struct vec path;		     /* scratch: char, path of the current entry */
	struct vec target_text;		     /* scratch: char, target of a symlink */

	struct map32 link_index; /* inode -> index in links */
	struct vec links;	 /* struct extract_link */
	uint32_t free_link;	 /* first unused one; names_left is the next */

	uint64_t inodes_done, inodes_total;
	struct f2fs_progress progress;
	struct extract_names names;
	struct pattern_set include; /* of options */
};

#endif
