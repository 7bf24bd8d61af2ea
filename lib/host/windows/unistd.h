/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files and on the process. */
#ifndef F2FSKIT_HOST_WINDOWS_UNISTD_H
#define F2FSKIT_HOST_WINDOWS_UNISTD_H

#include <stdio.h> /* SEEK_SET */
#include <stdlib.h> /* _exit() */
#include <sys/types.h>

#include <posix_name.h>

#define STDIN_FILENO  0
#define STDOUT_FILENO 1
#define STDERR_FILENO 2

#define SEEK_DATA 3
#define SEEK_HOLE 4

#define F_OK 0
#define W_OK 2
#define R_OK 4

#define _SC_NPROCESSORS_ONLN 84

int close(int fd) POSIX_NAME(close);
int dup(int fd) POSIX_NAME(dup);
ssize_t read(int fd, void *to, size_t length) POSIX_NAME(read);
ssize_t write(int fd, const void *from, size_t length) POSIX_NAME(write);
/* These two move the position of the descriptor, too. */
ssize_t pread(int fd, void *to, size_t length, off_t offset) POSIX_NAME(pread);
ssize_t pwrite(int fd, const void *from, size_t length, off_t offset) POSIX_NAME(pwrite);
off_t lseek(int fd, off_t offset, int whence) POSIX_NAME(lseek);
#undef ftruncate
int ftruncate(int fd, off_t size) POSIX_NAME(ftruncate);
int truncate(const char *path, off_t size) POSIX_NAME(truncate);
int fsync(int fd) POSIX_NAME(fsync);
int isatty(int fd) POSIX_NAME(isatty);

int access(const char *path, int mode) POSIX_NAME(access);
int unlink(const char *path) POSIX_NAME(unlink);
int unlinkat(int dir, const char *name, int flags) POSIX_NAME(unlinkat);
int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags) POSIX_NAME(linkat);
int symlinkat(const char *target, int dir, const char *name) POSIX_NAME(symlinkat);
ssize_t readlink(const char *path, char *target, size_t room) POSIX_NAME(readlink);
ssize_t readlinkat(int dir, const char *name, char *target, size_t room) POSIX_NAME(readlinkat);
int chown(const char *path, uid_t uid, gid_t gid) POSIX_NAME(chown);
int fchown(int fd, uid_t uid, gid_t gid) POSIX_NAME(fchown);
int fchownat(int dir, const char *name, uid_t uid, gid_t gid, int flags) POSIX_NAME(fchownat);

int getpid(void) POSIX_NAME(getpid);
uid_t getuid(void) POSIX_NAME(getuid);
uid_t geteuid(void) POSIX_NAME(geteuid);
gid_t getgid(void) POSIX_NAME(getgid);
long sysconf(int name) POSIX_NAME(sysconf);

#endif
