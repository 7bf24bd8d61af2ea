/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The half of a VFS of SQLite that has nothing to do, for those with one connection and no need of chance or time
 * (idle_vfs.c).
 */
#ifndef F2FSKIT_LAB_IDLE_VFS_H
#define F2FSKIT_LAB_IDLE_VFS_H

#include <sqlite3.h>

int idle_lock(sqlite3_file *file, int level);
int idle_check_lock(sqlite3_file *file, int *is_locked);
int idle_control(sqlite3_file *file, int operation, void *argument);
int idle_full_name(sqlite3_vfs *vfs, const char *name, int room, char *out);
int idle_random(sqlite3_vfs *vfs, int count, char *out);
int idle_sleep(sqlite3_vfs *vfs, int microseconds);
int idle_time(sqlite3_vfs *vfs, double *now);
int idle_last_error(sqlite3_vfs *vfs, int room, char *out);

/* The members of sqlite3_io_methods and of sqlite3_vfs that these are for. */
#define IDLE_METHODS                                                                                                   \
	.xLock = idle_lock, .xUnlock = idle_lock, .xCheckReservedLock = idle_check_lock, .xFileControl = idle_control
#define IDLE_VFS                                                                                                       \
	.xFullPathname = idle_full_name, .xRandomness = idle_random, .xSleep = idle_sleep,                             \
	.xCurrentTime = idle_time, .xGetLastError = idle_last_error

#endif
