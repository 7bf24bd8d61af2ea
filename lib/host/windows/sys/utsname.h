/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The name of the system. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_UTSNAME_H
#define F2FSKIT_HOST_WINDOWS_SYS_UTSNAME_H

#include <posix_name.h>

struct utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65];
};

int uname(struct utsname *out) POSIX_NAME(uname);

#endif
