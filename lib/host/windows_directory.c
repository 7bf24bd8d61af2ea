/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reading directories under Windows. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#define BATCH 65536u

struct host_directory {
	int fd;
	bool has_started;
	const FILE_ID_BOTH_DIR_INFO *next; /* in the batch; NULL: read one */
	struct dirent entry;
	_Alignas(8) uint8_t batch[BATCH];
};

DIR *fdopendir(int fd)
{
	DIR *const dir = calloc(1, sizeof(*dir));

	if (dir)
		dir->fd = fd;
	return dir;
}

DIR *opendir(const char *path)
{
	const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *const dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

static int read_batch(DIR *dir)
{
	const FILE_INFO_BY_HANDLE_CLASS what =
		dir->has_started ? FileIdBothDirectoryInfo : FileIdBothDirectoryRestartInfo;
	const HANDLE handle = host_handle(dir->fd);

	if (!handle)
		return -1;
	if (!GetFileInformationByHandleEx(handle, what, dir->batch, BATCH)) {
		if (GetLastError() != ERROR_NO_MORE_FILES)
			host_fail_last();
		return -1;
	}
	dir->has_started = true;
	dir->next = (const FILE_ID_BOTH_DIR_INFO *)dir->batch;
	return 0;
}

static unsigned char type_of(DWORD attributes)
{
	if (attributes & FILE_ATTRIBUTE_REPARSE_POINT)
		return DT_UNKNOWN;
	return attributes & FILE_ATTRIBUTE_DIRECTORY ? DT_DIR : DT_REG;
}

struct dirent *readdir(DIR *dir)
{
	const FILE_ID_BOTH_DIR_INFO *info;

	if (!dir->next && read_batch(dir) != 0)
		return NULL;
	info = dir->next;
	dir->next = info->NextEntryOffset
			    ? (const FILE_ID_BOTH_DIR_INFO *)((const uint8_t *)info + info->NextEntryOffset)
			    : NULL;
	dir->entry.d_ino = (ino_t)info->FileId.QuadPart;
	dir->entry.d_type = type_of(info->FileAttributes);
	if (host_narrow_into(info->FileName, info->FileNameLength / sizeof(WCHAR), dir->entry.d_name,
			     sizeof(dir->entry.d_name)) < 0)
		return NULL;
	return &dir->entry;
}

int closedir(DIR *dir)
{
	const int rc = close(dir->fd);

	free(dir);
	return rc;
}
