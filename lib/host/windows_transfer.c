/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Transfers, sizes and locks of open files under Windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#include <winioctl.h>

/* Windows counts a transfer in 32 bits. */
#define MOST (1u << 30)

int _read(int fd, void *to, unsigned length);
int _write(int fd, const void *from, unsigned length);
long long _lseeki64(int fd, long long offset, int whence);
int _isatty(int fd);

static unsigned clamp(size_t length)
{
	return length > MOST ? MOST : (unsigned)length;
}

ssize_t read(int fd, void *to, size_t length)
{
	return _read(fd, to, clamp(length));
}

ssize_t write(int fd, const void *from, size_t length)
{
	return _write(fd, from, clamp(length));
}

static OVERLAPPED place(off_t offset)
{
	return (OVERLAPPED){ .Offset = (DWORD)offset, .OffsetHigh = (DWORD)(offset >> 32) };
}

ssize_t pread(int fd, void *to, size_t length, off_t offset)
{
	const HANDLE handle = host_handle(fd);
	OVERLAPPED at = place(offset);
	DWORD done = 0;

	if (!handle)
		return -1;
	if (ReadFile(handle, to, clamp(length), &done, &at) || GetLastError() == ERROR_HANDLE_EOF)
		return (ssize_t)done;
	return host_fail_last();
}

ssize_t pwrite(int fd, const void *from, size_t length, off_t offset)
{
	const HANDLE handle = host_handle(fd);
	OVERLAPPED at = place(offset);
	DWORD done = 0;

	if (!handle)
		return -1;
	return WriteFile(handle, from, clamp(length), &done, &at) ? (ssize_t)done : host_fail_last();
}

/* One buffer after the other, until one was short. Bytes moved before an error count. */
static ssize_t move_each(int fd, const struct iovec *iov, int count, off_t offset, bool writes)
{
	ssize_t total = 0;

	for (int i = 0; i < count; i++) {
		const ssize_t n = writes ? pwrite(fd, iov[i].iov_base, iov[i].iov_len, offset + total)
					 : pread(fd, iov[i].iov_base, iov[i].iov_len, offset + total);

		if (n < 0)
			return total ? total : -1;
		total += n;
		if ((size_t)n < iov[i].iov_len)
			break;
	}
	return total;
}

ssize_t preadv(int fd, const struct iovec *iov, int count, off_t offset)
{
	return move_each(fd, iov, count, offset, false);
}

ssize_t pwritev(int fd, const struct iovec *iov, int count, off_t offset)
{
	return move_each(fd, iov, count, offset, true);
}

/* ---- places and sizes */

/* Find data or a hole from a place on, where the file system knows them. */
static off_t find_extent(HANDLE handle, off_t offset, int whence)
{
	FILE_ALLOCATED_RANGE_BUFFER from = { .FileOffset.QuadPart = offset }, found;
	LARGE_INTEGER size;
	DWORD bytes = 0;

	if (!GetFileSizeEx(handle, &size))
		return host_fail_last();
	if (offset < 0 || offset >= size.QuadPart) {
		errno = ENXIO;
		return -1;
	}
	from.Length.QuadPart = size.QuadPart - offset;
	if (!DeviceIoControl(handle, FSCTL_QUERY_ALLOCATED_RANGES, &from, sizeof(from), &found, sizeof(found), &bytes,
			     NULL) &&
	    GetLastError() != ERROR_MORE_DATA) {
		errno = EINVAL; /* it does not know */
		return -1;
	}
	if (bytes < sizeof(found))
		found = (FILE_ALLOCATED_RANGE_BUFFER){ .FileOffset = size };
	if (whence == SEEK_HOLE && found.FileOffset.QuadPart > offset)
		return offset;
	if (whence == SEEK_HOLE)
		return found.FileOffset.QuadPart + found.Length.QuadPart;
	if (found.FileOffset.QuadPart < size.QuadPart)
		return found.FileOffset.QuadPart > offset ? found.FileOffset.QuadPart : offset;
	errno = ENXIO;
	return -1;
}

off_t lseek(int fd, off_t offset, int whence)
{
	const HANDLE handle = host_handle(fd);

	if (!handle)
		return -1;
	if (GetFileType(handle) != FILE_TYPE_DISK) {
		errno = ESPIPE;
		return -1;
	}
	if (whence == SEEK_DATA || whence == SEEK_HOLE) {
		offset = find_extent(handle, offset, whence);
		whence = SEEK_SET;
	}
	return offset < 0 && whence == SEEK_SET ? -1 : _lseeki64(fd, offset, whence);
}

/* A file that grows gets a hole, where the file system has them. */
int ftruncate(int fd, off_t size)
{
	const HANDLE handle = host_handle(fd);
	FILE_END_OF_FILE_INFO end = { .EndOfFile.QuadPart = size };
	LARGE_INTEGER now;
	DWORD bytes;

	if (!handle)
		return -1;
	if (GetFileType(handle) != FILE_TYPE_DISK || !GetFileSizeEx(handle, &now)) {
		errno = EINVAL;
		return -1;
	}
	if (size > now.QuadPart)
		DeviceIoControl(handle, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &bytes, NULL);
	return SetFileInformationByHandle(handle, FileEndOfFileInfo, &end, sizeof(end)) ? 0 : host_fail_last();
}

int truncate(const char *path, off_t size)
{
	const int fd = open(path, O_WRONLY);
	const int rc = fd < 0 ? -1 : ftruncate(fd, size);

	if (fd >= 0)
		close(fd);
	return rc;
}

int fsync(int fd)
{
	const HANDLE handle = host_handle(fd);
	struct stat st;

	if (!handle || fstat(fd, &st) != 0)
		return -1;
	if (S_ISDIR(st.st_mode)) /* the file system's journal keeps the order of names */
		return 0;
	return FlushFileBuffers(handle) ? 0 : host_fail_last();
}

int isatty(int fd)
{
	DWORD mode;
	const HANDLE handle = host_handle(fd);

	return handle && GetConsoleMode(handle, &mode);
}

/* ---- locks */

/* Windows keeps locked bytes from everybody, so a lock has a byte where no file has any. */
int flock(int fd, int operation)
{
	const HANDLE handle = host_handle(fd);
	OVERLAPPED at = place(INT64_MAX - 1);
	DWORD flags = operation & LOCK_NB ? LOCKFILE_FAIL_IMMEDIATELY : 0;

	if (!handle)
		return -1;
	if (operation & LOCK_UN)
		return UnlockFileEx(handle, 0, 1, 0, &at) ? 0 : host_fail_last();
	if (operation & LOCK_EX)
		flags |= LOCKFILE_EXCLUSIVE_LOCK;
	if (LockFileEx(handle, flags, 0, 1, 0, &at))
		return 0;
	if (GetLastError() != ERROR_LOCK_VIOLATION && GetLastError() != ERROR_IO_PENDING)
		return host_fail_last();
	errno = EWOULDBLOCK;
	return -1;
}
