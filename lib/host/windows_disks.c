/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Disks and partitions of Windows: \\\\.\\PhysicalDrive0, \\\\.\\D: */
#include "host/disks.h"

#include <string.h>

#include <windows.h>
#include <winioctl.h>

#include "host/windows/handle.h"
#include "host/windows/wide.h"

#define USUAL_SECTOR 512u
#define PIECE	     4096u /* as large as sectors are */
#define MOST_PIECES  ((uint64_t)1 << 50)

bool host_is_disk(const struct stat *st)
{
	return S_ISBLK(st->st_mode);
}

/* Drivers that lack a call; Wine's disks do. */
static bool lacks_call(void)
{
	return GetLastError() == ERROR_NOT_SUPPORTED || GetLastError() == ERROR_INVALID_FUNCTION;
}

/* Can a piece be read? -1 with errno for a reason other than the end of the disk. */
static int is_there(HANDLE handle, uint64_t piece)
{
	static const DWORD ends[] = { ERROR_HANDLE_EOF, ERROR_SECTOR_NOT_FOUND, ERROR_INVALID_PARAMETER };
	_Alignas(PIECE) uint8_t bytes[PIECE];
	OVERLAPPED at = { .Offset = (DWORD)(piece * PIECE), .OffsetHigh = (DWORD)(piece * PIECE >> 32) };
	DWORD got = 0;

	if (ReadFile(handle, bytes, PIECE, &got, &at))
		return got == PIECE;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		if (GetLastError() == ends[i])
			return 0;
	return host_fail_last();
}

/* Find the last piece that can be read: by doubling, then by halving. */
static int measure(HANDLE handle, uint64_t *size)
{
	uint64_t known = 0, beyond = 1;
	int rc;

	while ((rc = is_there(handle, beyond - 1)) == 1 && beyond < MOST_PIECES) {
		known = beyond;
		beyond *= 2;
	}
	while (rc >= 0 && beyond - known > 1) {
		const uint64_t middle = known + (beyond - known) / 2;

		rc = is_there(handle, middle - 1);
		if (rc == 1)
			known = middle;
		else
			beyond = middle;
	}
	*size = known * PIECE;
	return rc < 0 ? -1 : 0;
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
	out->sector_size = USUAL_SECTOR;
	if (DeviceIoControl(handle, IOCTL_DISK_GET_DRIVE_GEOMETRY, NULL, 0, &geometry, sizeof(geometry), &bytes, NULL))
		out->sector_size = geometry.BytesPerSector;
	else if (!lacks_call())
		return host_fail_last();
	if (DeviceIoControl(handle, IOCTL_DISK_GET_LENGTH_INFO, NULL, 0, &length, sizeof(length), &bytes, NULL))
		out->size = (uint64_t)length.Length.QuadPart;
	else if (!lacks_call())
		return host_fail_last();
	else
		return measure(handle, &out->size);
	return 0;
}
