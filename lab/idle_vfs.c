/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks that are always granted, names as they come, and the same time and random bytes in each run.
 */
#include "lab/idle_vfs.h"

#include <stdio.h>
#include <string.h>

int idle_lock(sqlite3_file *file, int level)
{
	(void)file;
	(void)level;
	return SQLITE_OK;
}

int idle_check_lock(sqlite3_file *file, int *is_locked)
{
	(void)file;
	*is_locked = 0;
	return SQLITE_OK;
}

int idle_control(sqlite3_file *file, int operation, void *argument)
{
	(void)file;
	(void)operation;
	(void)argument;
	return SQLITE_NOTFOUND;
}

int idle_full_name(sqlite3_vfs *vfs, const char *name, int room, char *out)
{
	(void)vfs;
	snprintf(out, (size_t)room, "%s", name);
	return SQLITE_OK;
}

int idle_random(sqlite3_vfs *vfs, int count, char *out)
{
	(void)vfs;
	memset(out, 7, (size_t)count);
	return count;
}

int idle_sleep(sqlite3_vfs *vfs, int microseconds)
{
	(void)vfs;
	return microseconds;
}

int idle_time(sqlite3_vfs *vfs, double *now)
{
	(void)vfs;
	*now = 2460000.5;
	return SQLITE_OK;
}

int idle_last_error(sqlite3_vfs *vfs, int room, char *out)
{
	(void)vfs;
	(void)room;
	(void)out;
	return 0;
}
