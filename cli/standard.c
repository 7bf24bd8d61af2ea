/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open standard input, output and error where the caller of the program closed them. Otherwise the next opened file,
 * such as an image, would get one of these numbers, and messages would go into it or commands come from it.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "cli/standard.h"

/* Each is taken in the direction that it is not used in, so that it fails as it did when it was closed. */
void cli_take_standard(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		const int flags = fd == STDIN_FILENO ? O_WRONLY : O_RDONLY;

		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", flags) < 0)
			(void)!open("/", O_RDONLY | O_DIRECTORY); /* neither read nor written */
	}
}
