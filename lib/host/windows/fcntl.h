/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening files. All are read and written as bytes; children get none of them. */
#ifndef F2FSKIT_HOST_WINDOWS_FCNTL_H
#define F2FSKIT_HOST_WINDOWS_FCNTL_H

#include <sys/types.h>

#include <posix_name.h>

#define O_RDONLY    0
#define O_WRONLY    1
#define O_RDWR	    2
#define O_ACCMODE   3
#define O_APPEND    0x0008
#define O_CREAT	    0x0100
#define O_TRUNC	    0x0200
#define O_EXCL	    0x0400
#define O_DIRECTORY 0x100000
#define O_NOFOLLOW  0x200000
#define O_CLOEXEC   0x400000
#define O_NONBLOCK  0x800000
#define O_NOCTTY    0x1000000

#define AT_FDCWD	    (-100)
#define AT_SYMLINK_NOFOLLOW 0x100
#define AT_REMOVEDIR	    0x200

#define FD_CLOEXEC	1
#define F_GETFD		1
#define F_SETFD		2
#define F_DUPFD_CLOEXEC 3

int open(const char *path, int flags, ...) POSIX_NAME(open);
int openat(int dir, const char *name, int flags, ...) POSIX_NAME(openat);
int fcntl(int fd, int command, ...) POSIX_NAME(fcntl);

#endif
