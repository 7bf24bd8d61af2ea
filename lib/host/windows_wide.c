/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Text and errors of Windows. */
#include "host/windows/wide.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <windows.h>
#include <winternl.h>

#define BAD_CHARACTER UINT32_MAX

/* Take a character of UTF-8, of at most four bytes, in its shortest form. */
static uint32_t take_utf8(const unsigned char **at)
{
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = *at;
	const unsigned more = *p < 0x80 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : 1;
	uint32_t c = more ? *p & (0x3fu >> more) : *p;

	if ((*p & 0xc0) == 0x80 || *p >= 0xf8)
		return BAD_CHARACTER;
	for (unsigned i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return BAD_CHARACTER;
		c = c << 6 | (p[i] & 0x3f);
	}
	*at += more + 1;
	return c < least[more] || c > 0x10ffff ? BAD_CHARACTER : c;
}

wchar_t *host_wide(const char *text)
{
	const unsigned char *from = (const unsigned char *)text;
	wchar_t *const wide = malloc((strlen(text) + 1) * sizeof(*wide));
	wchar_t *to = wide;

	while (wide && *from) {
		const uint32_t c = take_utf8(&from);

		if (c == BAD_CHARACTER) {
			free(wide);
			errno = EILSEQ;
			return NULL;
		}
		if (c < 0x10000) {
			*to++ = (wchar_t)c;
		} else {
			*to++ = (wchar_t)(0xd800 + ((c - 0x10000) >> 10));
			*to++ = (wchar_t)(0xdc00 + (c & 0x3ff));
		}
	}
	if (wide)
		*to = 0;
	return wide;
}

static size_t put_utf8(uint32_t c, char to[4])
{
	const unsigned more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

	for (unsigned i = more; i > 0; i--, c >>= 6)
		to[i] = (char)(0x80 | (c & 0x3f));
	to[0] = (char)(more ? (0xff80u >> more & 0xffu) | c : c);
	return more + 1;
}

int host_narrow_into(const wchar_t *text, size_t length, char *to, size_t room)
{
	size_t used = 0;

	for (size_t i = 0; i < length; i++) {
		const bool is_pair = (text[i] & 0xfc00) == 0xd800 && i + 1 < length && (text[i + 1] & 0xfc00) == 0xdc00;
		uint32_t c = text[i];
		char bytes[4];
		size_t n;

		if (is_pair)
			c = 0x10000 + ((c & 0x3ff) << 10) + (text[++i] & 0x3ff);
		n = put_utf8(c, bytes);
		if (n >= room - used) {
			errno = ENAMETOOLONG;
			return -1;
		}
		memcpy(to + used, bytes, n);
		used += n;
	}
	to[used] = 0;
	return (int)used;
}

char *host_narrow(const wchar_t *text, size_t length)
{
	const size_t room = 3 * length + 1;
	char *const to = malloc(room);

	if (to)
		host_narrow_into(text, length, to, room);
	return to;
}

int host_fail(unsigned long error)
{
	static const struct {
		unsigned long error;
		int number;
	} rows[] = {
		{ ERROR_FILE_NOT_FOUND, ENOENT },	  { ERROR_PATH_NOT_FOUND, ENOENT },
		{ ERROR_BAD_NETPATH, ENOENT },		  { ERROR_INVALID_DRIVE, ENOENT },
		{ ERROR_BAD_PATHNAME, ENOENT },		  { ERROR_DELETE_PENDING, ENOENT },
		{ ERROR_ACCESS_DENIED, EACCES },	  { ERROR_PRIVILEGE_NOT_HELD, EPERM },
		{ ERROR_SHARING_VIOLATION, EBUSY },	  { ERROR_LOCK_VIOLATION, EBUSY },
		{ ERROR_USER_MAPPED_FILE, EBUSY },	  { ERROR_BUSY, EBUSY },
		{ ERROR_ALREADY_EXISTS, EEXIST },	  { ERROR_FILE_EXISTS, EEXIST },
		{ ERROR_DIR_NOT_EMPTY, ENOTEMPTY },	  { ERROR_DIRECTORY, ENOTDIR },
		{ ERROR_INVALID_NAME, EILSEQ },		  { ERROR_FILENAME_EXCED_RANGE, ENAMETOOLONG },
		{ ERROR_BUFFER_OVERFLOW, ENAMETOOLONG },  { ERROR_DISK_FULL, ENOSPC },
		{ ERROR_HANDLE_DISK_FULL, ENOSPC },	  { ERROR_NOT_ENOUGH_QUOTA, EDQUOT },
		{ ERROR_FILE_TOO_LARGE, EFBIG },	  { ERROR_WRITE_PROTECT, EROFS },
		{ ERROR_NOT_ENOUGH_MEMORY, ENOMEM },	  { ERROR_OUTOFMEMORY, ENOMEM },
		{ ERROR_NO_SYSTEM_RESOURCES, ENOMEM },	  { ERROR_TOO_MANY_OPEN_FILES, EMFILE },
		{ ERROR_INVALID_HANDLE, EBADF },	  { ERROR_BROKEN_PIPE, EPIPE },
		{ ERROR_NO_DATA, EPIPE },		  { ERROR_NOT_SUPPORTED, ENOTSUP },
		{ ERROR_INVALID_FUNCTION, ENOTSUP },	  { ERROR_CALL_NOT_IMPLEMENTED, ENOTSUP },
		{ ERROR_NOT_SAME_DEVICE, EXDEV },	  { ERROR_TOO_MANY_LINKS, EMLINK },
		{ ERROR_INVALID_PARAMETER, EINVAL },	  { ERROR_NEGATIVE_SEEK, EINVAL },
		{ ERROR_CANT_RESOLVE_FILENAME, ELOOP },	  { ERROR_NOT_A_REPARSE_POINT, EINVAL },
		{ ERROR_OPERATION_ABORTED, EINTR },
	};

	errno = EIO;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].error == error)
			errno = rows[i].number;
	return -1;
}

int host_fail_last(void)
{
	return host_fail(GetLastError());
}

/* Two that become one error with others. */
int host_fail_status(long status)
{
	const unsigned long is_dir = 0xc00000ba, is_deleted = 0xc0000056;

	if ((unsigned long)status == is_dir) {
		errno = EISDIR;
		return -1;
	}
	return host_fail((unsigned long)status == is_deleted ? ERROR_DELETE_PENDING : RtlNtStatusToDosError(status));
}
