/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Random bytes under Linux; a kernel without the call has the device. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/random.h>
#include <unistd.h>

#include "host/random_bytes.h"

static int read_device(uint8_t *to, size_t size)
{
	const int fd = open("/dev/urandom", O_RDONLY | O_CLOEXEC);
	size_t done = 0;
	int why;

	if (fd < 0)
		return -1;
	while (done < size) {
		const ssize_t got = read(fd, to + done, size - done);

		if (got > 0)
			done += (size_t)got;
		else if (got == 0 || errno != EINTR)
			break;
	}
	why = errno;
	close(fd);
	errno = why;
	return done == size ? 0 : -1;
}

int host_random(void *buffer, size_t size)
{
	uint8_t *to = buffer;

	while (size > 0) {
		const ssize_t got = getrandom(to, size, 0);

		if (got < 0 && errno != EINTR)
			return read_device(to, size);
		if (got > 0) {
			to += got;
			size -= (size_t)got;
		}
	}
	return 0;
}
