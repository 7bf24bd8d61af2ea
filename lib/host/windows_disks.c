/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks and partitions of Windows: \\\\.\\PhysicalDrive0, \\\\.\\D: */
#include "host/disks.h"

#include <string.h>

#include <windows.h>
#include <winioctl.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

bool host_is_disk(const struct stat *st)
{
	return S_ISBLK(st->st_mode);
}

int host_query_disk(int fd, struct host_disk *out)
{
	const HANDLE handle = host_handle(fd);
	GET_LENGTH_INFORMATION length;
	DISK_GEOMETRY geometry;
	DWORD bytes;

	memset(out, 0, sizeof(*out));
	if (!handle)
		return -1;
	if (!DeviceIoControl(handle, IOCTL_DISK_GET_LENGTH_INFO, NULL, 0, &length, sizeof(length), &bytes, NULL) ||
	    !DeviceIoControl(handle, IOCTL_DISK_GET_DRIVE_GEOMETRY, NULL, 0, &geometry, sizeof(geometry), &bytes, NULL))
		return host_fail_last();
	out->size = (uint64_t)length.Length.QuadPart;
	out->sector_size = geometry.BytesPerSector;
	return 0;
}
