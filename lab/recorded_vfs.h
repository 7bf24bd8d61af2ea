/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * A VFS for SQLite with its files in memory. It records all operations on them, which become the operations of a load.
 */
#ifndef F2FSKIT_LAB_RECORDED_VFS_H
#define F2FSKIT_LAB_RECORDED_VFS_H

#include <sqlite3.h>

#include "lab/op.h"

enum { RECORDED_FILES = 4, RECORDED_NAMES = 8, RECORDED_NAME = 32 };

/* A file; its place in the table is its number in operations. */
struct recorded_file {
	const char *name; /* one of the names; NULL: there is no file here */
	uint8_t *bytes;
	uint64_t size, room;
};

struct recorded_vfs {
	sqlite3_vfs vfs;
	char name[32]; /* for sqlite3_open_v2() */
	struct recorded_file files[RECORDED_FILES];
	char names[RECORDED_NAMES][RECORDED_NAME]; /* all that there ever were, as operations point to them */
	struct lab_op *ops;
	unsigned count, room;
};

/* Make it known to SQLite. 0, or -1; recorded_vfs_close() is called after either. */
int recorded_vfs_open(struct recorded_vfs *r);
void recorded_vfs_close(struct recorded_vfs *r);

#endif
