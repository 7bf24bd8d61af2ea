/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The frame of every public change: begin and end it.
 */
#ifndef F2FSKIT_FILE_CHANGE_H
#define F2FSKIT_FILE_CHANGE_H

#include "file/object.h"
#include "file/winode.h"
#include "log/txn.h"

/* The frame of every public change. */
struct change {
	struct f2fs_volume *vol;
	uint64_t generation; /* when it began */
};
/* Clear the last error, start (or continue) the transaction, and write waiting blocks when there are too many: nodes
 * obtained before must be obtained again. Refused with STATE after a call that failed half-way. */
int change_begin(struct change *c, struct f2fs_volume *vol);
/* The same for a change of an inode, or in a directory; READ_ONLY for one as it once was. */
int change_begin_on(struct change *c, const struct f2fs_inode *inode);
/*
 * A change has found too few free sections before it changed anything: commit and run GC, if that is allowed, until
 * there are that many. *won: something came of it, and the change is to be begun again.
 */
int change_win_sections(struct change *c, uint64_t wanted, bool *won);
/* What this layer does with a transaction. */
extern const struct txn_ops file_ops;
/* Start a transaction that changes files, or continue it. */
static inline int change_start(struct f2fs_volume *vol)
{
	return txn_begin(vol, &file_ops);
}
/* At the start of a change: write the waiting blocks of one file, which changes nothing that can be seen. */
int change_flush_file(struct change *c, f2fs_nid_t ino);
/* A call fails that has changed nothing: the kernel has stamped the file all the same by then. */
void change_stamp(struct change *c, struct winode *w);
/* Pass err on; when something was changed before it happened, the transaction is good for a rollback only. */
int change_end(const struct change *c, int err);

#endif
