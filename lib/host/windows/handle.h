/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Handles of Windows for descriptors, and opening by a name in an open directory. A name there is one of the
 * directory's own, in its own case. Names that Windows gives another meaning are refused: with ':' and the like, of
 * devices, with a dot or blank at the end.
 */
#ifndef F2FSKIT_HOST_WINDOWS_HANDLE_H
#define F2FSKIT_HOST_WINDOWS_HANDLE_H

#include <stdbool.h>
#include <sys/types.h>

#include <windows.h>

struct host_opening {
	unsigned long access;	   /* beside SYNCHRONIZE and FILE_READ_ATTRIBUTES */
	unsigned long disposition; /* FILE_OPEN, ... */
	unsigned long options;	   /* FILE_DIRECTORY_FILE, ... */
	unsigned long attributes;  /* of a new file */
	bool keeps_link;	   /* opens a symbolic link itself */
};

/* The handle of a descriptor, or NULL with EBADF. */
HANDLE host_handle(int fd);
/* Open a name in a directory, or a path with AT_FDCWD. Returns NULL with errno. */
HANDLE host_open_handle(int dir, const char *name, const struct host_opening *how);
/* Open the file of a handle once more, with other rights. Returns NULL with errno. */
HANDLE host_reopen(HANDLE handle, unsigned long access);
/* Make a descriptor of a handle, which it takes over; -1 with errno. append: writes go to the end. */
int host_adopt_handle(HANDLE handle, bool append);
/* Is it a symbolic link or a junction? */
bool host_is_link(HANDLE handle);
/* The path of a name in a directory as Windows takes it, of any length, for free(); NULL with errno. */
wchar_t *host_native_path(int dir, const char *name);

#endif
