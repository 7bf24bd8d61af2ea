/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Status of files under Windows. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#include <winioctl.h>
#include <winternl.h>

#define TICKS	   10000000 /* in a second */
#define EPOCH	   116444736000000000ll /* 1970 in ticks since 1601 */
#define HOST_BLOCK 512

static struct timespec time_of(LONGLONG ticks)
{
	const LONGLONG since = ticks - EPOCH;
	LONGLONG seconds = since / TICKS, rest = since % TICKS;

	if (rest < 0) {
		seconds--;
		rest += TICKS;
	}
	return (struct timespec){ .tv_sec = seconds, .tv_nsec = (long)rest * 100 };
}

static mode_t mode_of(DWORD attributes, bool is_link)
{
	if (is_link)
		return S_IFLNK | 0777;
	if (attributes & FILE_ATTRIBUTE_DIRECTORY)
		return S_IFDIR | 0755; /* read-only says something else of directories */
	return S_IFREG | (attributes & FILE_ATTRIBUTE_READONLY ? 0444 : 0644);
}

/* The number of a disk and its partition; 0: not known. */
static dev_t disk_number(HANDLE handle)
{
	STORAGE_DEVICE_NUMBER number;
	DWORD bytes;

	if (!DeviceIoControl(handle, IOCTL_STORAGE_GET_DEVICE_NUMBER, NULL, 0, &number, sizeof(number), &bytes, NULL))
		return 0;
	return (dev_t)((number.DeviceNumber + 1) << 8 | (number.PartitionNumber & 0xff));
}

static int fill_file(HANDLE handle, bool keeps_link, struct stat *out)
{
	BY_HANDLE_FILE_INFORMATION info;
	FILE_BASIC_INFO times;
	FILE_STANDARD_INFO sizes;

	if (!GetFileInformationByHandle(handle, &info)) {
		if (GetLastError() != ERROR_INVALID_FUNCTION && GetLastError() != ERROR_INVALID_PARAMETER)
			return host_fail_last();
		out->st_mode = S_IFBLK | 0600; /* a disk, a partition */
		out->st_rdev = disk_number(handle);
		return 0;
	}
	if (!GetFileInformationByHandleEx(handle, FileBasicInfo, &times, sizeof(times)) ||
	    !GetFileInformationByHandleEx(handle, FileStandardInfo, &sizes, sizeof(sizes)))
		return host_fail_last();
	out->st_dev = info.dwVolumeSerialNumber;
	out->st_ino = (ino_t)info.nFileIndexHigh << 32 | info.nFileIndexLow;
	out->st_mode = mode_of(info.dwFileAttributes, keeps_link && host_is_link(handle));
	out->st_nlink = info.nNumberOfLinks;
	out->st_size = S_ISREG(out->st_mode) ? sizes.EndOfFile.QuadPart : 0;
	out->st_blocks = (sizes.AllocationSize.QuadPart + HOST_BLOCK - 1) / HOST_BLOCK;
	out->st_atim = time_of(times.LastAccessTime.QuadPart);
	out->st_mtim = time_of(times.LastWriteTime.QuadPart);
	out->st_ctim = time_of(times.ChangeTime.QuadPart ? times.ChangeTime.QuadPart : times.LastWriteTime.QuadPart);
	return 0;
}

static int fill(HANDLE handle, bool keeps_link, struct stat *out)
{
	const DWORD type = GetFileType(handle);

	memset(out, 0, sizeof(*out));
	out->st_nlink = 1;
	if (type == FILE_TYPE_DISK)
		return fill_file(handle, keeps_link, out);
	out->st_mode = (type == FILE_TYPE_PIPE ? S_IFIFO : S_IFCHR) | 0600;
	return 0;
}

int fstat(int fd, struct stat *out)
{
	const HANDLE handle = host_handle(fd);

	return handle ? fill(handle, false, out) : -1;
}

int fstatat(int dir, const char *name, struct stat *out, int flags)
{
	const bool keeps_link = (flags & AT_SYMLINK_NOFOLLOW) != 0;
	const struct host_opening how = { .disposition = FILE_OPEN, .keeps_link = keeps_link };
	const HANDLE handle = host_open_handle(dir, name, &how);
	int rc;

	if (!handle)
		return -1;
	rc = fill(handle, keeps_link, out);
	CloseHandle(handle);
	return rc;
}

int stat(const char *path, struct stat *out)
{
	return fstatat(AT_FDCWD, path, out, 0);
}

int lstat(const char *path, struct stat *out)
{
	return fstatat(AT_FDCWD, path, out, AT_SYMLINK_NOFOLLOW);
}

int access(const char *path, int mode)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return -1;
	if (!(mode & W_OK) || (st.st_mode & 0222))
		return 0;
	errno = EACCES;
	return -1;
}

/* ---- changes */

/* Ticks that a change takes; 0 leaves a time as it is. */
static int ticks_from(const struct timespec *t, LARGE_INTEGER *out)
{
	FILETIME now;

	out->QuadPart = 0;
	if (t->tv_nsec == UTIME_OMIT)
		return 0;
	if (t->tv_nsec == UTIME_NOW) {
		GetSystemTimePreciseAsFileTime(&now);
		out->QuadPart = (LONGLONG)now.dwHighDateTime << 32 | now.dwLowDateTime;
		return 0;
	}
	if (t->tv_sec <= -EPOCH / TICKS || t->tv_sec >= (INT64_MAX - EPOCH) / TICKS) {
		errno = EOVERFLOW;
		return -1;
	}
	out->QuadPart = t->tv_sec * TICKS + t->tv_nsec / 100 + EPOCH;
	return 0;
}

/* Change times or attributes of the file of a handle. */
static int change_basic(HANDLE handle, FILE_BASIC_INFO *info)
{
	const HANDLE writable = host_reopen(handle, FILE_WRITE_ATTRIBUTES);
	int rc;

	if (!writable)
		return -1;
	rc = SetFileInformationByHandle(writable, FileBasicInfo, info, sizeof(*info)) ? 0 : host_fail_last();
	CloseHandle(writable);
	return rc;
}

static int change_times(HANDLE handle, const struct timespec times[2])
{
	FILE_BASIC_INFO info = { 0 };

	if (ticks_from(&times[0], &info.LastAccessTime) != 0 || ticks_from(&times[1], &info.LastWriteTime) != 0)
		return -1;
	return change_basic(handle, &info);
}

/* Windows has the right to write alone, of files. Of other rights it says that there are none. */
static int change_mode(HANDLE handle, mode_t mode)
{
	FILE_BASIC_INFO info = { 0 };
	struct stat st;

	if (fill(handle, false, &st) != 0)
		return -1;
	if (S_ISREG(st.st_mode) && ((st.st_mode ^ mode) & 0200)) {
		info.FileAttributes = mode & 0200 ? FILE_ATTRIBUTE_NORMAL : FILE_ATTRIBUTE_READONLY;
		if (change_basic(handle, &info) != 0 || fill(handle, false, &st) != 0)
			return -1;
	}
	if ((st.st_mode & 07777) == (mode & 07777))
		return 0;
	errno = ENOTSUP;
	return -1;
}

/* Open a file by its name for a change. */
static HANDLE open_named(int dir, const char *name, int flags)
{
	const struct host_opening how = { .disposition = FILE_OPEN, .keeps_link = (flags & AT_SYMLINK_NOFOLLOW) != 0 };

	return host_open_handle(dir, name, &how);
}

int futimens(int fd, const struct timespec times[2])
{
	const HANDLE handle = host_handle(fd);

	return handle ? change_times(handle, times) : -1;
}

int utimensat(int dir, const char *name, const struct timespec times[2], int flags)
{
	const HANDLE handle = open_named(dir, name, flags);
	int rc;

	if (!handle)
		return -1;
	rc = change_times(handle, times);
	CloseHandle(handle);
	return rc;
}

int fchmod(int fd, mode_t mode)
{
	const HANDLE handle = host_handle(fd);

	return handle ? change_mode(handle, mode) : -1;
}

int fchmodat(int dir, const char *name, mode_t mode, int flags)
{
	const HANDLE handle = open_named(dir, name, flags);
	int rc;

	if (!handle)
		return -1;
	rc = change_mode(handle, mode);
	CloseHandle(handle);
	return rc;
}

int chmod(const char *path, mode_t mode)
{
	return fchmodat(AT_FDCWD, path, mode, 0);
}

/* There are no owners by numbers. */
int fchown(int fd, uid_t uid, gid_t gid)
{
	(void)fd;
	(void)uid;
	(void)gid;
	errno = ENOTSUP;
	return -1;
}

int fchownat(int dir, const char *name, uid_t uid, gid_t gid, int flags)
{
	(void)dir;
	(void)name;
	(void)flags;
	return fchown(-1, uid, gid);
}

int chown(const char *path, uid_t uid, gid_t gid)
{
	(void)path;
	return fchown(-1, uid, gid);
}
