/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under FreeBSD. */
#include "host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int host_punch(int fd, off_t offset, off_t length)
{
#ifdef SPACECTL_DEALLOC
	struct spacectl_range range = { .r_offset = offset, .r_len = length };

	return fspacectl(fd, SPACECTL_DEALLOC, &range, 0, NULL);
#else
	(void)fd;
	(void)offset;
	(void)length;
	errno = ENOTSUP;
	return -1;
#endif
}
