/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Resources that the process has used. */
#ifndef F2FSKIT_HOST_WINDOWS_SYS_RESOURCE_H
#define F2FSKIT_HOST_WINDOWS_SYS_RESOURCE_H

#include <posix_name.h>

#define RUSAGE_SELF 0

struct rusage {
	long long ru_maxrss; /* KiB */
};

int getrusage(int who, struct rusage *out) POSIX_NAME(getrusage);

#endif
