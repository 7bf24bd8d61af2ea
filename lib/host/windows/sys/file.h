/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Locks of open files, which only programs that ask for them meet. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_FILE_H
#define F2FSKIT_HOST_WINDOWS_SYS_FILE_H

#include <posix_name.h>

#define LOCK_SH 1
#define LOCK_EX 2
#define LOCK_NB 4
#define LOCK_UN 8

int flock(int fd, int operation) POSIX_NAME(flock);

#endif
