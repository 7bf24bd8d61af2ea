/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status of files. Owner and group are 0; the mode has what Windows knows: the type, and whether it may be written. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_STAT_H
#define F2FSKIT_HOST_WINDOWS_SYS_STAT_H

#include <sys/types.h>
#include <time.h>

#include <posix_name.h>

#define S_IFMT	0170000
#define S_IFSOCK 0140000
#define S_IFLNK 0120000
#define S_IFREG 0100000
#define S_IFBLK 0060000
#define S_IFDIR 0040000
#define S_IFCHR 0020000
#define S_IFIFO 0010000
#define S_ISUID 04000
#define S_ISGID 02000
#define S_ISVTX 01000
#define S_IRWXU 0700
#define S_IRUSR 0400
#define S_IWUSR 0200
#define S_IXUSR 0100
#define S_IRWXG 0070
#define S_IRWXO 0007

#define S_ISSOCK(mode) (((mode) & S_IFMT) == S_IFSOCK)
#define S_ISLNK(mode)  (((mode) & S_IFMT) == S_IFLNK)
#define S_ISREG(mode)  (((mode) & S_IFMT) == S_IFREG)
#define S_ISBLK(mode)  (((mode) & S_IFMT) == S_IFBLK)
#define S_ISDIR(mode)  (((mode) & S_IFMT) == S_IFDIR)
#define S_ISCHR(mode)  (((mode) & S_IFMT) == S_IFCHR)
#define S_ISFIFO(mode) (((mode) & S_IFMT) == S_IFIFO)

#define UTIME_NOW  ((1l << 30) - 1l)
#define UTIME_OMIT ((1l << 30) - 2l)

struct stat {
	dev_t st_dev;
	ino_t st_ino;
	dev_t st_rdev;
	mode_t st_mode;
	unsigned st_nlink;
	uid_t st_uid;
	gid_t st_gid;
	off_t st_size;
	off_t st_blocks; /* of 512 bytes */
	struct timespec st_atim, st_mtim, st_ctim;
};

int stat(const char *path, struct stat *out) POSIX_NAME(stat);
int lstat(const char *path, struct stat *out) POSIX_NAME(lstat);
int fstat(int fd, struct stat *out) POSIX_NAME(fstat);
int fstatat(int dir, const char *name, struct stat *out, int flags) POSIX_NAME(fstatat);
int mkdir(const char *path, mode_t mode) POSIX_NAME(mkdir);
int mkdirat(int dir, const char *name, mode_t mode) POSIX_NAME(mkdirat);
int chmod(const char *path, mode_t mode) POSIX_NAME(chmod);
int fchmod(int fd, mode_t mode) POSIX_NAME(fchmod);
int fchmodat(int dir, const char *name, mode_t mode, int flags) POSIX_NAME(fchmodat);
int futimens(int fd, const struct timespec times[2]) POSIX_NAME(futimens);
int utimensat(int dir, const char *name, const struct timespec times[2], int flags) POSIX_NAME(utimensat);

#endif
