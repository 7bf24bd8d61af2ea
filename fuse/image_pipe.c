/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Pipes for splice(2). libfuse can splice from the image by itself, but then nobody could look between the two steps
 * whether the blocks are still those of the file.
 */

#include "fuse/image_pipe.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* What Linux lets everybody have. The first read that a smaller pipe cannot hold ends all splicing. */
enum { PIPE_BYTES = 1 << 20 };

#ifdef SPLICE_F_NONBLOCK

static void pipe_close(struct image_pipe *pipe)
{
	if (pipe->ends[0] < 0)
		return;
	close(pipe->ends[0]);
	close(pipe->ends[1]);
	pipe->ends[0] = pipe->ends[1] = -1;
}

void image_pipes_open(struct image_pipes *pipes)
{
	pipes->is_on = 1;
	for (unsigned i = 0; i < IMAGE_PIPES; i++)
		pipes->all[i] = (struct image_pipe){ .ends = { -1, -1 } };
}

void image_pipes_close(struct image_pipes *pipes)
{
	for (unsigned i = 0; pipes->is_on && i < IMAGE_PIPES; i++)
		pipe_close(&pipes->all[i]);
	pipes->is_on = 0;
}

struct image_pipe *image_pipe_take(struct image_pipes *pipes)
{
	struct image_pipe *found = NULL;

	for (unsigned i = 0; pipes->is_on && !found && i < IMAGE_PIPES; i++)
		if (!pipes->all[i].is_taken)
			found = &pipes->all[i];
	if (!found)
		return NULL;
	if (found->ends[0] < 0) {
		if (pipe2(found->ends, O_CLOEXEC) != 0) {
			found->ends[0] = found->ends[1] = -1;
			return NULL;
		}
		(void)fcntl(found->ends[1], F_SETPIPE_SZ, PIPE_BYTES);
	}
	found->is_taken = 1;
	return found;
}

void image_pipe_give(struct image_pipe *pipe)
{
	int left = 0;

	if (ioctl(pipe->ends[0], FIONREAD, &left) != 0 || left)
		pipe_close(pipe);
	pipe->is_taken = 0;
}

enum image_pipe_result image_pipe_fill(struct image_pipe *pipe, int fd, uint64_t at, size_t length)
{
	off_t from = (off_t)at;

	while (length > 0) {
		const ssize_t n = splice(fd, &from, pipe->ends[1], NULL, length, SPLICE_F_NONBLOCK);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && (errno == EINVAL || errno == ENOSYS || errno == EAGAIN))
			return IMAGE_PIPE_UNFIT;
		if (n <= 0)
			return IMAGE_PIPE_SHORT;
		length -= (size_t)n;
	}
	return IMAGE_PIPE_FULL;
}

#else

void image_pipes_open(struct image_pipes *pipes)
{
	pipes->is_on = 0;
}

void image_pipes_close(struct image_pipes *pipes)
{
	(void)pipes;
}

struct image_pipe *image_pipe_take(struct image_pipes *pipes)
{
	(void)pipes;
	return NULL;
}

void image_pipe_give(struct image_pipe *pipe)
{
	(void)pipe;
}

enum image_pipe_result image_pipe_fill(struct image_pipe *pipe, int fd, uint64_t at, size_t length)
{
	(void)pipe, (void)fd, (void)at, (void)length;
	return IMAGE_PIPE_UNFIT;
}

#endif
