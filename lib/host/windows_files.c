/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under Windows. */
#include "host/files.h"

#include <errno.h>
#include <unistd.h>

#include <windows.h>
#include <winioctl.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

int host_flush(int fd)
{
	return fsync(fd);
}

int host_reserve(int fd, off_t size)
{
	const HANDLE handle = host_handle(fd);
	FILE_ALLOCATION_INFO info = { .AllocationSize.QuadPart = size };
	LARGE_INTEGER now;

	if (!handle)
		return -1;
	if (!GetFileSizeEx(handle, &now))
		return host_fail_last();
	if (now.QuadPart >= size) /* a smaller space would cut the file */
		return 0;
	if (!SetFileInformationByHandle(handle, FileAllocationInfo, &info, sizeof(info)))
		return host_fail_last();
	return ftruncate(fd, size);
}

int host_zero(int fd, off_t offset, off_t length)
{
	FILE_ZERO_DATA_INFORMATION range = { .FileOffset.QuadPart = offset,
					     .BeyondFinalZero.QuadPart = offset + length };
	const HANDLE handle = host_handle(fd);
	DWORD bytes;

	if (!handle)
		return -1;
	if (!DeviceIoControl(handle, FSCTL_SET_ZERO_DATA, &range, sizeof(range), NULL, 0, &bytes, NULL))
		return host_fail_last();
	return 0;
}

/* A file that is not sparse yet becomes so. */
int host_punch(int fd, off_t offset, off_t length)
{
	const HANDLE handle = host_handle(fd);
	DWORD bytes;

	if (!handle)
		return -1;
	if (!DeviceIoControl(handle, FSCTL_SET_SPARSE, NULL, 0, NULL, 0, &bytes, NULL))
		return host_fail_last();
	return host_zero(fd, offset, length);
}

struct timespec host_atime(const struct stat *st)
{
	return st->st_atim;
}

struct timespec host_mtime(const struct stat *st)
{
	return st->st_mtim;
}

/* There are no special files, and so no numbers. */
unsigned host_major(dev_t device)
{
	(void)device;
	return 0;
}

unsigned host_minor(dev_t device)
{
	(void)device;
	return 0;
}

dev_t host_device(unsigned major_number, unsigned minor_number)
{
	(void)major_number;
	(void)minor_number;
	return 0;
}

int host_mknod(int dir, const char *name, mode_t mode, dev_t device)
{
	(void)dir;
	(void)name;
	(void)mode;
	(void)device;
	errno = ENOTSUP;
	return -1;
}
