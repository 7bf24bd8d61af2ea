/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Handles of Windows: opening by the kernel's own call, which knows names in an open directory. */
#include "host/windows/handle.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <winternl.h>

#include "host/windows/wide.h"

/* The C library's names of these calls would hide ours. */
intptr_t _get_osfhandle(int fd);
int _open_osfhandle(intptr_t handle, int flags);

#define ALWAYS	  (FILE_SYNCHRONOUS_IO_NONALERT | FILE_OPEN_FOR_BACKUP_INTENT)
#define SHARE_ALL (FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE)

HANDLE host_handle(int fd)
{
	const intptr_t handle = fd < 0 ? -1 : _get_osfhandle(fd);

	if (handle != -1 && handle != -2)
		return (HANDLE)handle;
	errno = EBADF;
	return NULL;
}

/* ---- names */

static bool is_device_name(const wchar_t *name)
{
	static const wchar_t *const names[] = { L"CON", L"PRN", L"AUX", L"NUL", L"COM", L"LPT" };
	const size_t n = wcscspn(name, L"./");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (_wcsnicmp(name, names[i], 3) == 0 &&
		    (i < 4 ? n == 3 : n == 4 && name[3] >= L'1' && name[3] <= L'9'))
			return true;
	return false;
}

/* Can n characters be a name in a directory, and mean nothing else? */
static bool is_plain(const wchar_t *name, size_t n)
{
	if (n == 0 || name[n - 1] == L'.' || name[n - 1] == L' ' || is_device_name(name))
		return false;
	for (size_t i = 0; i < n; i++)
		if (name[i] < 0x20 || wcschr(L"\"*/:<>?\\|", name[i]))
			return false;
	return true;
}

static bool is_plain_name(const wchar_t *name)
{
	return is_plain(name, wcslen(name));
}

/* The same of every name of a path, which gets Windows' separators. */
static bool make_plain_path(wchar_t *path)
{
	for (;;) {
		const size_t n = wcscspn(path, L"/");

		if (!is_plain(path, n))
			return false;
		if (!path[n])
			return true;
		path[n] = L'\\';
		path += n + 1;
	}
}

/* The path of a handle, with what Windows wants in front of long ones. */
static wchar_t *path_of(HANDLE handle, size_t more)
{
	const DWORD room = GetFinalPathNameByHandleW(handle, NULL, 0, VOLUME_NAME_DOS);
	wchar_t *path = room ? malloc((room + more + 1) * sizeof(*path)) : NULL;

	if (!room)
		host_fail_last();
	else if (path && !GetFinalPathNameByHandleW(handle, path, room, VOLUME_NAME_DOS))
		path[0] = 0;
	return path;
}

/* A path of a program's user, with '/' or '\', from here or from a drive. */
static wchar_t *full_path(const char *path)
{
	static const wchar_t long_prefix[] = L"\\\\?\\", server_prefix[] = L"\\\\?\\UNC";
	wchar_t *const wide = host_wide(strcmp(path, "/dev/null") == 0 ? "NUL" : path);
	wchar_t *full = NULL;
	DWORD room;

	if (!wide)
		return NULL;
	room = wide[0] ? GetFullPathNameW(wide, 0, NULL, NULL) : 0;
	if (!room)
		errno = ENOENT;
	else
		full = malloc((room + 8) * sizeof(*full));
	if (full) {
		wchar_t *const at = full + 8;
		size_t n = GetFullPathNameW(wide, room, at, NULL);

		while (n > 3 && at[n - 1] == L'\\') /* but of a drive's root */
			at[--n] = 0;
		if (wcsncmp(at, L"\\\\.\\", 4) == 0 || wcsncmp(at, long_prefix, 4) == 0) {
			wmemmove(full, at, n + 1);
		} else if (wcsncmp(at, L"\\\\", 2) == 0) {
			wmemcpy(full, server_prefix, 7);
			wmemmove(full + 7, at + 1, n);
		} else {
			wmemcpy(full, long_prefix, 4);
			wmemmove(full + 4, at, n + 1);
		}
	}
	free(wide);
	return full;
}

/* A name in a directory: the directory's path and the name, or of ".." the path without its last name. */
static wchar_t *path_below(int dir, const char *name)
{
	const HANDLE handle = host_handle(dir);
	wchar_t *wide = handle ? host_wide(name) : NULL, *path = NULL;

	if (wide && wcscmp(wide, L"..") != 0 && wcscmp(wide, L".") != 0 && !is_plain_name(wide))
		errno = EILSEQ;
	else if (wide)
		path = path_of(handle, wcslen(wide) + 1);
	if (path && wcscmp(wide, L"..") == 0) {
		wchar_t *const last = wcsrchr(path, L'\\');

		if (last)
			last[last[-1] == L':' ? 1 : 0] = 0;
	} else if (path && wcscmp(wide, L".") != 0) {
		const size_t n = wcslen(path);

		if (n > 0 && path[n - 1] != L'\\')
			wcscat(path, L"\\");
		wcscat(path, wide);
	}
	free(wide);
	return path;
}

wchar_t *host_native_path(int dir, const char *name)
{
	return dir == AT_FDCWD ? full_path(name) : path_below(dir, name);
}

/* ---- opening */

static HANDLE open_native(HANDLE root, const wchar_t *name, const struct host_opening *how, unsigned long more)
{
	UNICODE_STRING text = { .Buffer = (wchar_t *)name };
	OBJECT_ATTRIBUTES object = { .Length = sizeof(object),
				     .RootDirectory = root,
				     .ObjectName = &text,
				     .Attributes = OBJ_CASE_INSENSITIVE };
	const size_t bytes = wcslen(name) * sizeof(*name);
	IO_STATUS_BLOCK io;
	HANDLE handle;
	NTSTATUS status;

	if (bytes > UINT16_MAX - sizeof(*name)) {
		errno = ENAMETOOLONG;
		return NULL;
	}
	text.Length = text.MaximumLength = (USHORT)bytes;
	status = NtCreateFile(&handle, how->access | SYNCHRONIZE | FILE_READ_ATTRIBUTES, &object, &io, NULL,
			      how->attributes ? how->attributes : FILE_ATTRIBUTE_NORMAL, SHARE_ALL, how->disposition,
			      how->options | more | ALWAYS, NULL, 0);
	if (status < 0) {
		host_fail_status(status);
		return NULL;
	}
	return handle;
}

bool host_is_link(HANDLE handle)
{
	FILE_ATTRIBUTE_TAG_INFO info;

	return GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof(info)) &&
	       (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) &&
	       (info.ReparseTag == IO_REPARSE_TAG_SYMLINK || info.ReparseTag == IO_REPARSE_TAG_MOUNT_POINT);
}

/* Is a file's own name the one that it was opened by, and not that in another case, or a short one? */
static bool has_name(HANDLE handle, const wchar_t *name)
{
	const size_t n = wcslen(name);
	wchar_t *const path = path_of(handle, 0);
	const size_t length = path ? wcslen(path) : 0;
	const bool is_same = length == 0 || (length > n && wcscmp(path + length - n, name) == 0);

	free(path);
	return is_same;
}

/* Open a name; keeps_link: a link itself. Reparse points other than links may need their driver to be read. */
static HANDLE open_name(HANDLE root, const wchar_t *name, const struct host_opening *how)
{
	HANDLE handle = open_native(root, name, how, how->keeps_link ? FILE_OPEN_REPARSE_POINT : 0);
	FILE_ATTRIBUTE_TAG_INFO info;

	if (handle && how->keeps_link && how->disposition == FILE_OPEN && !host_is_link(handle) &&
	    GetFileInformationByHandleEx(handle, FileAttributeTagInfo, &info, sizeof(info)) &&
	    (info.FileAttributes & FILE_ATTRIBUTE_REPARSE_POINT)) {
		CloseHandle(handle);
		handle = open_native(root, name, how, 0);
	}
	return handle;
}

static HANDLE open_below(int dir, const char *name, const struct host_opening *how)
{
	const HANDLE root = host_handle(dir);
	wchar_t *const wide = root ? host_wide(name) : NULL;
	HANDLE handle = NULL;

	/* only what exists may be several names away */
	if (wide && !(how->disposition == FILE_OPEN ? make_plain_path(wide) : is_plain_name(wide)))
		errno = EILSEQ;
	else if (wide)
		handle = open_name(root, wide, how);
	if (handle && how->disposition == FILE_OPEN && !has_name(handle, wide)) {
		CloseHandle(handle);
		handle = NULL;
		errno = ENOENT;
	}
	free(wide);
	return handle;
}

HANDLE host_open_handle(int dir, const char *name, const struct host_opening *how)
{
	wchar_t *path;
	HANDLE handle = NULL;

	if (dir != AT_FDCWD && strcmp(name, ".") != 0 && strcmp(name, "..") != 0)
		return open_below(dir, name, how);
	path = host_native_path(dir, name);
	if (path) {
		path[1] = L'?'; /* the kernel's name of the place where drives and devices are */
		if (path[2] == L'.')
			path[2] = L'?';
		handle = open_name(NULL, path, how);
	}
	free(path);
	return handle;
}

HANDLE host_reopen(HANDLE handle, unsigned long access)
{
	const DWORD flags = FILE_FLAG_BACKUP_SEMANTICS | FILE_FLAG_OPEN_REPARSE_POINT;
	const HANDLE again = ReOpenFile(handle, access, SHARE_ALL, flags);

	if (again != INVALID_HANDLE_VALUE)
		return again;
	host_fail_last();
	return NULL;
}

int host_adopt_handle(HANDLE handle, bool append)
{
	const int fd = _open_osfhandle((intptr_t)handle, append ? O_APPEND : 0);

	if (fd < 0) {
		CloseHandle(handle);
		errno = EMFILE;
	}
	return fd;
}
