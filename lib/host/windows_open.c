/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Opening, making and doubling descriptors under Windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#include <winternl.h>

#define TRIES 100

int _close(int fd);
int _dup(int fd);

static unsigned long disposition_of(int flags)
{
	if ((flags & O_CREAT) && (flags & O_EXCL))
		return FILE_CREATE;
	if (flags & O_CREAT)
		return flags & O_TRUNC ? FILE_OVERWRITE_IF : FILE_OPEN_IF;
	return flags & O_TRUNC ? FILE_OVERWRITE : FILE_OPEN;
}

static unsigned long access_of(int flags)
{
	unsigned long access = FILE_GENERIC_READ;

	if ((flags & O_ACCMODE) == O_WRONLY)
		access = FILE_GENERIC_WRITE;
	else if ((flags & O_ACCMODE) == O_RDWR)
		access |= FILE_GENERIC_WRITE;
	return flags & O_APPEND ? access & ~(unsigned long)FILE_WRITE_DATA : access;
}

/* Refuse a link that was not to be followed, and a directory that was to be written. */
static int check_kind(HANDLE handle, int flags)
{
	FILE_STANDARD_INFO info;

	if ((flags & O_NOFOLLOW) && host_is_link(handle))
		errno = ELOOP;
	else if ((flags & O_ACCMODE) != O_RDONLY &&
		 GetFileInformationByHandleEx(handle, FileStandardInfo, &info, sizeof(info)) && info.Directory)
		errno = EISDIR;
	else
		return 0;
	return -1;
}

static int open_at(int dir, const char *name, int flags, mode_t mode)
{
	const struct host_opening how = {
		.access = access_of(flags),
		.disposition = disposition_of(flags),
		.options = flags & O_DIRECTORY ? FILE_DIRECTORY_FILE : 0,
		.attributes = (flags & O_CREAT) && !(mode & 0222) ? FILE_ATTRIBUTE_READONLY : 0,
		.keeps_link = (flags & O_NOFOLLOW) != 0,
	};
	const HANDLE handle = host_open_handle(dir, name, &how);

	if (!handle)
		return -1;
	if (check_kind(handle, flags) != 0) {
		CloseHandle(handle);
		return -1;
	}
	return host_adopt_handle(handle, (flags & O_APPEND) != 0);
}

static mode_t take_mode(int flags, va_list args)
{
	return flags & O_CREAT ? va_arg(args, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = take_mode(flags, args);
	va_end(args);
	return open_at(AT_FDCWD, path, flags, mode);
}

int openat(int dir, const char *name, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = take_mode(flags, args);
	va_end(args);
	return open_at(dir, name, flags, mode);
}

int mkdirat(int dir, const char *name, mode_t mode)
{
	const struct host_opening how = {
		.access = FILE_LIST_DIRECTORY, .disposition = FILE_CREATE, .options = FILE_DIRECTORY_FILE
	};
	const HANDLE handle = host_open_handle(dir, name, &how);

	(void)mode; /* who may enter it is inherited */
	if (!handle)
		return -1;
	CloseHandle(handle);
	return 0;
}

int mkdir(const char *path, mode_t mode)
{
	return mkdirat(AT_FDCWD, path, mode);
}

int close(int fd)
{
	return _close(fd);
}

int dup(int fd)
{
	return _dup(fd);
}

/* Double a descriptor to the first free one from least on. */
static int dup_from(int fd, int least)
{
	int copy = _dup(fd);

	if (copy >= 0 && copy < least) {
		const int low = copy;

		copy = dup_from(fd, least);
		_close(low);
	}
	return copy;
}

int fcntl(int fd, int command, ...)
{
	va_list args;
	int argument;

	if (!host_handle(fd))
		return -1;
	if (command == F_GETFD)
		return FD_CLOEXEC;
	va_start(args, command);
	argument = va_arg(args, int);
	va_end(args);
	return command == F_DUPFD_CLOEXEC ? dup_from(fd, argument) : 0;
}

int mkstemp(char *template_name)
{
	char *const end = template_name + strlen(template_name) - 6;
	LARGE_INTEGER now;
	int fd = -1;

	for (unsigned i = 0; fd < 0 && i < TRIES; i++) {
		QueryPerformanceCounter(&now);
		snprintf(end, 7, "%06x",
			 (unsigned)((now.QuadPart ^ (long long)GetCurrentProcessId() << 12) + i) & 0xffffff);
		fd = open(template_name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (fd < 0 && errno != EEXIST)
			break;
	}
	return fd;
}
