/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * State that the file layer keeps of a running transaction.
 */
#ifndef F2FSKIT_FILE_RUN_H
#define F2FSKIT_FILE_RUN_H

#include "base/map32.h"
#include "file/change_rules.h"

struct cluster_packer;
struct quota_changes;

/* What this layer keeps of a transaction. */
struct file_state {
	struct map32 pages;	       /* inode number -> its waiting blocks */
	uint8_t *unused_pages;	       /* each begins with the address of the next */
	bool has_delayed;	       /* some of them wait because of a placement */
	struct quota_changes *quota;   /* changes of usage; NULL: none */
	struct cluster_packer *packer; /* what compressing needs; NULL until then */
	const struct change_rules *rules; /* of the change at hand; NULL: the usual ones */
	f2fs_nid_t elsewhere;	       /* nothing of this inode is written in place; 0: none */
};

#endif
