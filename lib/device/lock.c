/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Locks of an open file description, where the host has them: two openings in one process are two holders, closing
 * another descriptor of the file does not lose the lock, and they meet the locks of programs that lock with fcntl(2),
 * such as machines under QEMU. They are advisory: nothing keeps a program out that does not ask. Elsewhere flock(2)
 * does it, and where there is neither, or the file system knows no locks, there is none.
 */
#include "device/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#ifndef F_OFD_SETLK
#include <sys/file.h>
#endif

#include <f2fskit/base.h>

/* ---- the lock */

#ifdef F_OFD_SETLK
static int change_lock(int fd, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock);
}

static int lock_file(int fd)
{
	return change_lock(fd, F_WRLCK);
}

void lock_drop(int fd)
{
	change_lock(fd, F_UNLCK);
}

static bool is_locked(int fd)
{
	struct flock lock = { .l_type = F_RDLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}
#elif defined(LOCK_EX)
static int lock_file(int fd)
{
	return flock(fd, LOCK_EX | LOCK_NB);
}

void lock_drop(int fd)
{
	flock(fd, LOCK_UN);
}

static bool is_locked(int fd)
{
	if (flock(fd, LOCK_SH | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	flock(fd, LOCK_UN);
	return false;
}
#else
static int lock_file(int fd)
{
	(void)fd;
	return 0;
}

void lock_drop(int fd)
{
	(void)fd;
}

static bool is_locked(int fd)
{
	(void)fd;
	return false;
}
#endif

/* ---- the holder: from /proc on Linux; elsewhere none is found */

/* Does the descriptor hold a lock? */
static bool has_lock(const char *pid, const char *fd)
{
	char path[64], line[256];
	bool found = false;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%.20s", pid, fd);
	f = fopen(path, "re");
	while (f && !found && fgets(line, sizeof(line), f))
		found = strncmp(line, "lock:", 5) == 0;
	if (f)
		fclose(f);
	return found;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) || S_ISBLK(b->st_mode))
		return S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode) && a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool has_open(const char *pid, const struct stat *st, bool needs_lock)
{
	char path[64];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	dir = opendir(path);
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		struct stat other;

		snprintf(path, sizeof(path), "/proc/%.20s/fd/%.20s", pid, entry->d_name);
		found = entry->d_name[0] != '.' && stat(path, &other) == 0 && is_same(&other, st) &&
			(!needs_lock || has_lock(pid, entry->d_name));
	}
	if (dir)
		closedir(dir);
	return found;
}

static void name_process(const char *pid, char who[LOCK_TEXT])
{
	char path[64], name[32] = "", shown[64];
	FILE *f;
	size_t n;

	if (strtol(pid, NULL, 10) == (long)getpid()) {
		snprintf(who, LOCK_TEXT, "this process (%.20s)", pid);
		return;
	}
	snprintf(path, sizeof(path), "/proc/%.20s/comm", pid);
	f = fopen(path, "re");
	n = f ? fread(name, 1, sizeof(name) - 1, f) : 0;
	if (f)
		fclose(f);
	while (n > 0 && name[n - 1] == '\n')
		n--;
	f2fs_text_printable(name, n, shown, sizeof(shown));
	snprintf(who, LOCK_TEXT, "process %.20s%s%s%s", pid, n ? " (" : "", shown, n ? ")" : "");
}

void lock_find_holder(const struct stat *st, bool needs_lock, char who[LOCK_TEXT])
{
	const struct dirent *entry;
	bool found = false;
	DIR *dir = opendir("/proc");

	snprintf(who, LOCK_TEXT, "another program");
	while (dir && !found && (entry = readdir(dir)) != NULL) {
		found = entry->d_name[0] >= '1' && entry->d_name[0] <= '9' && has_open(entry->d_name, st, needs_lock);
		if (found)
			name_process(entry->d_name, who);
	}
	if (dir)
		closedir(dir);
}

/* ---- for the openers */

static void find_by_fd(int fd, char who[LOCK_TEXT])
{
	struct stat st;

	if (fstat(fd, &st) == 0)
		lock_find_holder(&st, true, who);
	else
		snprintf(who, LOCK_TEXT, "another program");
}

int lock_take(struct f2fs_context *ctx, const char *path, int fd)
{
	char who[LOCK_TEXT];

	while (lock_file(fd) != 0) {
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN && errno != EACCES && errno != EWOULDBLOCK) {
			log_message(ctx, F2FS_LOG_INFO, "%s cannot be locked: %s", path, strerror(errno));
			return 0;
		}
		find_by_fd(fd, who);
		return error_set(ctx, F2FS_ERR_BUSY, "%s is in use by %s", path, who);
	}
	return 0;
}

bool lock_is_held(int fd, char who[LOCK_TEXT])
{
	if (!is_locked(fd))
		return false;
	find_by_fd(fd, who);
	return true;
}
