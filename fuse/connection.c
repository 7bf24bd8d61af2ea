/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read requests and write answers. When a mount is taken away while the kernel still has requests, as those about
 * many files that were just closed, Linux answers a read with ECONNABORTED. libfuse knows only ENODEV as the end of a
 * session, and would report an error of the device.
 */
#include "fuse/connection.h"

#include "f2fskit_config.h"

#if HAVE_FUSE_CUSTOM_IO

#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

static ssize_t end_for(ssize_t result)
{
	if (result < 0 && errno == ECONNABORTED)
		errno = ENODEV;
	return result;
}

static ssize_t read_request(int fd, void *buffer, size_t length, void *user)
{
	(void)user;
	return end_for(read(fd, buffer, length));
}

static ssize_t write_answer(int fd, struct iovec *parts, int count, void *user)
{
	(void)user;
	return writev(fd, parts, count);
}

static ssize_t splice_request(int from, off_t *from_at, int to, off_t *to_at, size_t length, unsigned flags, void *user)
{
	(void)user;
	return end_for(splice(from, from_at, to, to_at, length, flags));
}

static ssize_t splice_answer(int from, off_t *from_at, int to, off_t *to_at, size_t length, unsigned flags, void *user)
{
	(void)user;
	return splice(from, from_at, to, to_at, length, flags);
}

int connection_ends_quietly(struct fuse_session *session)
{
	static const struct fuse_custom_io io = { write_answer, read_request, splice_request, splice_answer };

	return fuse_session_custom_io(session, &io, fuse_session_fd(session));
}

#else

int connection_ends_quietly(struct fuse_session *session)
{
	(void)session;
	return 0;
}

#endif
