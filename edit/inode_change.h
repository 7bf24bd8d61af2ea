/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A change of members of inodes that a command makes on each of its operands, and with -R on all below them.
 */
#ifndef F2FSKIT_EDIT_INODE_CHANGE_H
#define F2FSKIT_EDIT_INODE_CHANGE_H

#include "edit/run.h"

struct edit_change {
	struct edit *e;
	/* Fill values; returns which members, or an error that was reported. */
	int (*fill)(const struct edit_change *change, const struct f2fs_stat *st, struct f2fs_stat *values);
	const char *text;
	uint32_t uid, gid, projid;
	unsigned which;
	int drops_privileges; /* setuid, setgid and capabilities go, as on a change of the owner; not of directories */
	struct f2fs_time time;
};

/* Apply it to the operands from first on. Failure is reported. */
int edit_change_apply(struct edit_change *change, const struct edit_call *call, int first, unsigned lookup_flags);

#endif
