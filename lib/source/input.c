/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Streams that the caller gives to be read: callback, file, descriptor.
 */
#include "source/input.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/error.h"

#define WAIT_MS 100

int source_input_open(struct source_input *in, struct f2fs_context *ctx, const struct f2fs_input *from)
{
	in->ctx = ctx;
	in->from = *from;
	in->owns_fd = false;
	if (from->read || !from->path)
		return 0;
	in->from.fd = open(from->path, O_RDONLY | O_CLOEXEC);
	if (in->from.fd < 0)
		return error_sys(ctx, errno, "cannot open %s", from->path);
	in->owns_fd = true;
	return 0;
}

/* Wait until there is something to read, and let the host stop that: a signal may come just before it begins. */
static int wait_for(const struct source_input *in)
{
	struct pollfd on = { .fd = in->from.fd, .events = POLLIN };

	while (poll(&on, 1, WAIT_MS) <= 0) {
		int err = progress_now(in->ctx, "populate");

		if (err)
			return err;
	}
	return 0;
}

int source_input_read(struct source_input *in, void *buffer, size_t length, size_t *got)
{
	ssize_t n;

	*got = 0;
	if (in->from.read)
		return in->from.read(in->from.user, buffer, length, got);
	do {
		if (wait_for(in))
			return ECANCELED;
		n = read(in->from.fd, buffer, length);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return errno;
	*got = (size_t)n;
	return 0;
}

void source_input_close(struct source_input *in)
{
	if (in->owns_fd)
		close(in->from.fd);
	in->owns_fd = false;
}

int source_input_note(struct f2fs_context *ctx, const struct f2fs_input *from, int64_t *start)
{
	*start = 0;
	if (!from || (!from->read && from->path))
		return 0;
	if (!from->read)
		*start = lseek(from->fd, 0, SEEK_CUR);
	if (from->read || *start < 0)
		return error_set(ctx, F2FS_ERR_INVALID, "the stream can be read once only: a file is needed");
	return 0;
}

int source_input_rewind(struct f2fs_context *ctx, const struct f2fs_input *from, int64_t start)
{
	if (from && !from->read && !from->path && lseek(from->fd, (off_t)start, SEEK_SET) < 0)
		return error_set(ctx, F2FS_ERR_INVALID, "the stream cannot be read again");
	return 0;
}
