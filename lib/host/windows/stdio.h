/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Streams of bytes, files by names in UTF-8. */
#include_next <stdio.h>

#ifndef F2FSKIT_HOST_WINDOWS_STDIO_H
#define F2FSKIT_HOST_WINDOWS_STDIO_H

#include <sys/types.h>

#include <posix_name.h>

FILE *fopen(const char *path, const char *mode) POSIX_NAME(fopen);
FILE *fdopen(int fd, const char *mode) POSIX_NAME(fdopen);
FILE *tmpfile(void) POSIX_NAME(tmpfile);
FILE *open_memstream(char **text, size_t *length) POSIX_NAME(open_memstream);
int fclose(FILE *f) POSIX_NAME(fclose);
ssize_t getline(char **line, size_t *room, FILE *f) POSIX_NAME(getline);
int dprintf(int fd, const char *format, ...) POSIX_NAME(dprintf);
int rename(const char *from, const char *to) POSIX_NAME(rename);

#endif
