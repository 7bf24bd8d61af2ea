/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Buffered streams of the caller (callback, file, descriptor).
 */
#include "sink/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "sink/owner.h"
#include "sink/sink.h"

#define STREAM_BUFFER 65536u

struct sink_stream {
	struct sink *sink;
	struct sink_stream *next; /* that is open */
	struct f2fs_context *ctx;
	struct f2fs_stream to;
	struct f2fs_extract_result *result;
	const char *name; /* for messages */
	uint32_t output;  /* enum f2fs_output */
	bool owns_fd;
	bool is_new; /* the file was not there before */
	int sys_errno; /* of the failure after which nothing more is written */
	size_t used;
	uint8_t buffer[STREAM_BUFFER];
};

/* Does another stream of this run write the same file already? */
static bool is_written(const struct sink *sink, int fd)
{
	struct stat this, that;

	if (fstat(fd, &this) != 0 || !S_ISREG(this.st_mode))
		return false;
	for (const struct sink_stream *s = sink->streams; s; s = s->next)
		if (s->owns_fd && fstat(s->to.fd, &that) == 0 && that.st_dev == this.st_dev &&
		    that.st_ino == this.st_ino)
			return true;
	return false;
}

/* Open and empty a file, unless it is the image that is read, or one that this run writes. */
static int open_output(struct sink *sink, const char *path, int *fd, bool *is_new)
{
	struct f2fs_context *ctx = sink->ctx;
	int err = 0;

	*fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	*is_new = *fd >= 0;
	if (*fd < 0 && errno == EEXIST)
		*fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*fd < 0)
		return error_sys(ctx, errno, "%s", path);
	if (f2fs_device_is_open(ctx, *fd))
		err = error_set(ctx, F2FS_ERR_BUSY, "%s is the image that is read", path);
	else if (is_written(sink, *fd))
		err = error_set(ctx, F2FS_ERR_BUSY, "%s is written by this run already", path);
	else if (ftruncate(*fd, 0) != 0 && errno != EINVAL) /* pipes and the like have no size */
		err = error_sys(ctx, errno, "%s", path);
	if (err)
		close(*fd);
	return err;
}

int sink_stream_open(struct sink *sink, const struct f2fs_stream *stream, uint32_t output, const char *name,
		     struct sink_stream **out)
{
	struct sink_stream *s = mem_alloc(sink->ctx, sizeof(*s));

	if (!s)
		return F2FS_ERR_NOMEM;
	s->ctx = sink->ctx;
	s->to = *stream;
	s->result = sink->result;
	s->name = name;
	s->output = output;
	s->owns_fd = false;
	s->is_new = false;
	s->sys_errno = 0;
	s->used = 0;
	if (!s->to.write && s->to.path) {
		int err = open_output(sink, s->to.path, &s->to.fd, &s->is_new);

		if (err) {
			mem_free(sink->ctx, s);
			return err;
		}
		s->owns_fd = true;
		s->name = s->to.path;
	}
	s->sink = sink;
	s->next = sink->streams;
	sink->streams = s;
	*out = s;
	return 0;
}

static int write_all(const struct sink_stream *s, const uint8_t *data, size_t length)
{
	while (length > 0) {
		ssize_t n = write(s->to.fd, data, length);

		if (n < 0 && errno == EINTR) {
			if (progress_now(s->ctx, "extract"))
				return ECANCELED;
			continue;
		}
		if (n <= 0)
			return n < 0 ? errno : EIO;
		data += n;
		length -= (size_t)n;
	}
	return 0;
}

static int pass_on(struct sink_stream *s, const void *data, size_t length)
{
	if (s->sys_errno)
		return s->sys_errno;
	s->sys_errno = s->to.write ? s->to.write(s->to.user, data, length) : write_all(s, data, length);
	return s->sys_errno;
}

int sink_stream_put(struct sink_stream *s, const void *data, size_t length)
{
	if (length > STREAM_BUFFER - s->used) {
		size_t used = s->used;

		s->used = 0;
		if (pass_on(s, s->buffer, used))
			return s->sys_errno;
	}
	if (length >= STREAM_BUFFER)
		return pass_on(s, data, length);
	memcpy(s->buffer + s->used, data, length);
	s->used += length;
	return s->sys_errno;
}

static int flush(struct sink_stream *s)
{
	size_t used = s->used;

	s->used = 0;
	if (used)
		pass_on(s, s->buffer, used);
	return s->sys_errno;
}

bool sink_stream_is_file(const struct sink_stream *s)
{
	struct stat st;

	return !s->to.write && fstat(s->to.fd, &st) == 0 && S_ISREG(st.st_mode);
}

int sink_stream_report(const struct sink_stream *s)
{
	return error_sys(s->ctx, s->sys_errno, "cannot write %s", s->name);
}

/*
 * Release a closed stream. An incomplete file is removed when it is new. Otherwise the result reports it to the caller.
 */
static void leave(struct sink_stream *s, bool is_whole)
{
	struct sink_stream **at = &s->sink->streams;
	struct stat now;

	while (*at != s)
		at = &(*at)->next;
	*at = s->next;
	if (!is_whole && s->owns_fd && sink_is_owner(s->sink) && stat(s->to.path, &now) == 0 && S_ISREG(now.st_mode) &&
	    (!s->is_new || unlink(s->to.path) != 0))
		s->result->left_in_part |= s->output;
	mem_free(s->ctx, s);
}

void sink_stream_drop(struct sink_stream *s)
{
	if (!s)
		return;
	if (s->owns_fd)
		close(s->to.fd);
	leave(s, false);
}

int sink_stream_close(struct sink_stream *s)
{
	int err;

	if (!s)
		return 0;
	flush(s);
	if (s->owns_fd && close(s->to.fd) && !s->sys_errno)
		s->sys_errno = errno;
	err = s->sys_errno ? sink_stream_report(s) : 0;
	leave(s, !err);
	return err;
}
