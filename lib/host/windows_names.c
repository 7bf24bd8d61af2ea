/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Names of files under Windows: removing, linking, renaming, and links by name. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#include <winioctl.h>
#include <winternl.h>

/* ---- removing */

#define DISPOSITION_EX ((FILE_INFO_BY_HANDLE_CLASS)21) /* FileDispositionInfoEx, which not every header has */

/* Remove the name at once, although others have the file open, or as Windows before 10 does it. */
static int remove_handle(HANDLE handle)
{
	FILE_DISPOSITION_INFO_EX info = { FILE_DISPOSITION_FLAG_DELETE | FILE_DISPOSITION_FLAG_POSIX_SEMANTICS |
					  FILE_DISPOSITION_FLAG_IGNORE_READONLY_ATTRIBUTE };
	FILE_DISPOSITION_INFO plain = { TRUE };
	FILE_BASIC_INFO writable = { .FileAttributes = FILE_ATTRIBUTE_NORMAL };

	if (SetFileInformationByHandle(handle, DISPOSITION_EX, &info, sizeof(info)))
		return 0;
	if (GetLastError() == ERROR_DIR_NOT_EMPTY)
		return host_fail_last();
	if (SetFileInformationByHandle(handle, FileDispositionInfo, &plain, sizeof(plain)))
		return 0;
	if (GetLastError() != ERROR_ACCESS_DENIED ||
	    !SetFileInformationByHandle(handle, FileBasicInfo, &writable, sizeof(writable)))
		return host_fail_last();
	return SetFileInformationByHandle(handle, FileDispositionInfo, &plain, sizeof(plain)) ? 0 : host_fail_last();
}

int unlinkat(int dir, const char *name, int flags)
{
	const struct host_opening how = {
		.access = DELETE | FILE_WRITE_ATTRIBUTES,
		.disposition = FILE_OPEN,
		.options = flags & AT_REMOVEDIR ? FILE_DIRECTORY_FILE : FILE_NON_DIRECTORY_FILE,
		.keeps_link = true,
	};
	const HANDLE handle = host_open_handle(dir, name, &how);
	int rc;

	if (!handle)
		return -1;
	rc = remove_handle(handle);
	CloseHandle(handle);
	return rc;
}

int unlink(const char *path)
{
	return unlinkat(AT_FDCWD, path, 0);
}

/* ---- other names */

int rename(const char *from, const char *to)
{
	wchar_t *const old = host_native_path(AT_FDCWD, from);
	wchar_t *const new = old ? host_native_path(AT_FDCWD, to) : NULL;
	int rc = -1;

	if (new)
		rc = MoveFileExW(old, new, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) ? 0 : host_fail_last();
	free(old);
	free(new);
	return rc;
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
	wchar_t *const old = host_native_path(from_dir, from);
	wchar_t *const new = old ? host_native_path(to_dir, to) : NULL;
	int rc = -1;

	(void)flags;
	if (new)
		rc = CreateHardLinkW(new, old, NULL) ? 0 : host_fail_last();
	free(old);
	free(new);
	return rc;
}

static void use_backslashes(wchar_t *text)
{
	for (; *text; text++)
		if (*text == L'/')
			*text = L'\\';
}

/* Is the target of a link, seen from the link's directory, a directory that exists? Windows wants to know. */
static bool leads_to_dir(const wchar_t *link, const wchar_t *target)
{
	const size_t n = wcslen(link) + wcslen(target) + 1;
	wchar_t *const path = malloc(n * sizeof(*path));
	DWORD attributes = INVALID_FILE_ATTRIBUTES;

	if (path) {
		wcscpy(path, link);
		wcscpy(wcsrchr(path, L'\\') + 1, target);
		attributes = GetFileAttributesW(path);
	}
	free(path);
	return attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY);
}

/* Some hosts return success and make none. */
static int make_symlink(const wchar_t *path, const wchar_t *target)
{
	const DWORD unprivileged = 2, flags = leads_to_dir(path, target) ? SYMBOLIC_LINK_FLAG_DIRECTORY : 0;

	if (GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES)
		return host_fail(ERROR_ALREADY_EXISTS);
	if (!CreateSymbolicLinkW(path, target, flags | unprivileged) && !CreateSymbolicLinkW(path, target, flags))
		return host_fail_last();
	return GetFileAttributesW(path) != INVALID_FILE_ATTRIBUTES ? 0 : host_fail(ERROR_NOT_SUPPORTED);
}

int symlinkat(const char *target, int dir, const char *name)
{
	wchar_t *const path = host_native_path(dir, name);
	wchar_t *const wide = path ? host_wide(target) : NULL;
	int rc = -1;

	if (wide) {
		use_backslashes(wide);
		rc = make_symlink(path, wide);
	}
	free(path);
	free(wide);
	return rc;
}

/* The data of a symbolic link or junction, as the kernel gives them. */
struct link_data {
	ULONG tag;
	USHORT length, reserved;
	USHORT target_offset, target_length, shown_offset, shown_length;
	WCHAR symlink_path[1]; /* after flags of 32 bits; a junction has no flags */
};

static ssize_t read_target(HANDLE handle, char *target, size_t room)
{
	_Alignas(8) uint8_t bytes[MAXIMUM_REPARSE_DATA_BUFFER_SIZE];
	const struct link_data *data = (const struct link_data *)bytes;
	const size_t start = offsetof(struct link_data, symlink_path);
	size_t from;
	DWORD got = 0;
	int n;

	if (!DeviceIoControl(handle, FSCTL_GET_REPARSE_POINT, NULL, 0, bytes, sizeof(bytes), &got, NULL))
		return host_fail_last();
	from = start + data->shown_offset + (data->tag == IO_REPARSE_TAG_SYMLINK ? sizeof(ULONG) : 0);
	if (got < start || data->shown_length == 0 || from + data->shown_length > got) {
		errno = EINVAL;
		return -1;
	}
	n = host_narrow_into((const WCHAR *)(bytes + from), data->shown_length / sizeof(WCHAR), target, room);
	for (int i = 0; i < n; i++)
		if (target[i] == '\\')
			target[i] = '/';
	return n;
}

ssize_t readlinkat(int dir, const char *name, char *target, size_t room)
{
	const struct host_opening how = { .disposition = FILE_OPEN, .keeps_link = true };
	const HANDLE handle = host_open_handle(dir, name, &how);
	ssize_t n;

	if (!handle)
		return -1;
	n = read_target(handle, target, room);
	CloseHandle(handle);
	return n;
}

ssize_t readlink(const char *path, char *target, size_t room)
{
	return readlinkat(AT_FDCWD, path, target, room);
}

/* The path of a file, without links, '.' and '..', with '/' between names. */
char *realpath(const char *path, char *resolved)
{
	const struct host_opening how = { .disposition = FILE_OPEN };
	const HANDLE handle = host_open_handle(AT_FDCWD, path, &how);
	wchar_t *wide = handle ? malloc((UINT16_MAX + 1) * sizeof(*wide)) : NULL;
	const DWORD n = wide ? GetFinalPathNameByHandleW(handle, wide, UINT16_MAX, VOLUME_NAME_DOS) : 0;
	const DWORD prefix = n > 6 && wide[5] == L':' ? 4 : 0;
	char *text = NULL;

	if (wide && !n)
		host_fail_last();
	else if (n && resolved)
		text = host_narrow_into(wide + prefix, n - prefix, resolved, 4096) < 0 ? NULL : resolved;
	else if (n)
		text = host_narrow(wide + prefix, n - prefix);
	for (char *at = text; at && *at; at++)
		if (*at == '\\')
			*at = '/';
	free(wide);
	if (handle)
		CloseHandle(handle);
	return text;
}
