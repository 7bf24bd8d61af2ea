/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Fill a volume from a directory of the host. Entries are taken in the order of their names' bytes, so the same tree
 * gives the same volume; everything becomes true with one f2fs_volume_commit, which is the caller's to make.
 *
 * Memory: one megabyte, the running transaction's tables, and for each directory from the start down to the entry at
 * hand the names in it; some forty bytes for each file with further links.
 */
#ifndef F2FSKIT_POPULATE_H
#define F2FSKIT_POPULATE_H

#include <f2fskit/tree.h>
#include <f2fskit/write.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Options of f2fs_populate; zero the struct first. */
struct f2fs_populate_options {
	const char *directory; /* of the host: its contents are copied */
	const char *target; /* directory of the volume, NULL: "/"; missing components are made (0755, owner of root) */
	unsigned keep;	    /* enum f2fs_keep; 0: F2FS_KEEP_DEFAULT. Without OWNER everything belongs to uid, gid. */
	uint32_t uid, gid;
	unsigned has_time; /* all times are time; else those of the host (with F2FS_KEEP_TIMES), or the context's clock
			    */
	struct f2fs_time time;
	/* Patterns as in struct f2fs_extract_options, held against the path below directory. */
	const char *const *exclude;
	unsigned exclude_count;
	/* Called for each entry before it is copied; non-zero: stop (CANCELED). May be NULL. */
	int (*entry)(void *user, const char *path);
	/* Called when something could not be copied: the run goes on. what: "" or the attribute's name. May be NULL. */
	int (*problem)(void *user, const char *path, const char *what, const struct f2fs_error_detail *detail);
	void *user;
};

struct f2fs_populate_result {
	uint64_t files, directories, symlinks, specials, links; /* copied */
	uint64_t bytes;						/* of file contents */
	uint64_t problems;
};

/*
 * Copy the tree. Existing directories are entered, other existing names are refused (EXISTS). Fails with NOT_FOUND,
 * ACCESS, NOSPC (discard then), INCOMPLETE when there were problems; result is filled in any case.
 */
F2FS_API int f2fs_populate(struct f2fs_volume *vol, const struct f2fs_populate_options *options,
			   struct f2fs_populate_result *result);

#ifdef __cplusplus
}
#endif
#endif
