/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading directories. */
#ifndef F2FSKIT_HOST_WINDOWS_DIRENT_H
#define F2FSKIT_HOST_WINDOWS_DIRENT_H

#include <sys/types.h>

#include <posix_name.h>

enum { DT_UNKNOWN = 0, DT_DIR = 4, DT_REG = 8, DT_LNK = 10 };

struct dirent {
	ino_t d_ino;
	unsigned char d_type;
	char d_name[3 * 255 + 1]; /* as UTF-8 */
};

typedef struct host_directory DIR;

DIR *opendir(const char *path) POSIX_NAME(opendir);
/* Takes the descriptor over. */
DIR *fdopendir(int fd) POSIX_NAME(fdopendir);
struct dirent *readdir(DIR *dir) POSIX_NAME(readdir);
int closedir(DIR *dir) POSIX_NAME(closedir);

#endif
