/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Rules of the change at hand, where they differ from the options of writing.
 */
#ifndef F2FSKIT_FILE_CHANGE_RULES_H
#define F2FSKIT_FILE_CHANGE_RULES_H

#include "log/run.h"

/*
 * How changes through a handle (f2fs_inode.rules) differ from the usual ones. A new inode's handle has those of its
 * directory. Whoever made rules ends them (change_end_rules()) before they go.
 */
struct change_rules {
	bool keeps_times; /* no times are set: the caller sets them */
	/* NULL, or replaces the compression in the options of writing */
	const struct f2fs_compression *compression;
	uint8_t minimum_saved;			  /* of these options */
	const char *compress_names, *plain_names; /* of these options */
	bool releases; /* what compressing a cluster saves is given back at once, not when the file is complete */
};
/* Return the options of writing, as changed by the rules of the present change. */
void change_compression(const struct txn *txn, struct change_rules *out);
bool change_releases(const struct txn *txn);
/* Nothing goes by these rules any more. */
void change_end_rules(struct f2fs_volume *vol, const struct change_rules *rules);

#endif
