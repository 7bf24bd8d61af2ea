/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Android sparse images. The ranges made zero are few: a segment of the NAT is one, the SIT another.
 */
#include "cli/sparse_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct range {
	uint64_t start, end; /* bytes */
};

struct sparse_output {
	struct f2fs_device *inner;
	struct sparse_change *change; /* NULL: nobody asks */
	struct range *zeroed;
	size_t count, room;
};

static int read_output(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct sparse_output *s = self;

	return f2fs_device_readv(s->inner, offset, iov, count);
}

static void note_change(struct sparse_output *s)
{
	if (s->change)
		s->change->is_changed = 1;
}

static int write_output(void *self, uint64_t offset, const struct f2fs_iovec *iov, unsigned count)
{
	struct sparse_output *s = self;

	note_change(s);
	return f2fs_device_writev(s->inner, offset, iov, count);
}

static int note_zeroed(struct sparse_output *s, uint64_t start, uint64_t end)
{
	if (s->count > 0 && s->zeroed[s->count - 1].end == start) {
		s->zeroed[s->count - 1].end = end;
		return 0;
	}
	if (s->count == s->room) {
		size_t room = s->room ? 2 * s->room : 64;
		struct range *more = realloc(s->zeroed, room * sizeof(*more));

		if (!more)
			return F2FS_ERR_NOMEM;
		s->zeroed = more;
		s->room = room;
	}
	s->zeroed[s->count].start = start;
	s->zeroed[s->count++].end = end;
	return 0;
}

static int zero_output(void *self, uint64_t offset, uint64_t length)
{
	struct sparse_output *s = self;
	int rc = f2fs_device_zero(s->inner, offset, length);

	note_change(s);
	return rc ? rc : note_zeroed(s, offset, offset + length);
}

/* A zeroed range is data, and cuts short the holes before it. */
static int find_extent(void *self, uint64_t offset, uint64_t *length, int *is_hole)
{
	struct sparse_output *s = self;
	int rc = f2fs_device_extent(s->inner, offset, length, is_hole);

	if (s->change && !s->change->is_saving)
		*is_hole = 0;
	for (size_t i = 0; rc == 0 && *is_hole && i < s->count; i++) {
		const struct range *r = &s->zeroed[i];

		if (r->start <= offset && offset < r->end) {
			*is_hole = 0;
			*length = r->end - offset < *length ? r->end - offset : *length;
		} else if (r->start > offset && r->start - offset < *length) {
			*length = r->start - offset;
		}
	}
	return rc;
}

static void close_output(void *self)
{
	struct sparse_output *s = self;

	f2fs_device_close(s->inner);
	free(s->zeroed);
	free(s);
}

int sparse_output_over(struct f2fs_context *ctx, struct f2fs_device *inner, struct sparse_change *change,
		       struct f2fs_device **out)
{
	static const struct f2fs_device_ops ops = {
		F2FS_SIZED(f2fs_device_ops),
		.read = read_output,
		.write = write_output,
		.zero = zero_output,
		.extent = find_extent,
		.close = close_output,
	};
	const struct f2fs_device_info info = { .size = f2fs_device_info(inner)->size,
					       .sector_size = 512,
					       .caps = F2FS_DEVICE_WRITE };
	struct sparse_output *s = calloc(1, sizeof(*s));
	int rc;

	if (!s) {
		f2fs_device_close(inner);
		return f2fs_context_fail(ctx, F2FS_ERR_NOMEM, "out of memory");
	}
	s->inner = inner;
	s->change = change;
	rc = f2fs_device_open_custom(ctx, &ops, s, &info, out);
	if (rc)
		close_output(s);
	return rc;
}

int sparse_output_new(struct f2fs_context *ctx, uint64_t size, struct f2fs_device **out)
{
	struct f2fs_device *memory;
	int rc = f2fs_device_open_memory(ctx, size, &memory);

	return rc ? rc : sparse_output_over(ctx, memory, NULL, out);
}

int sparse_output_save(struct cli *cli, struct f2fs_context *ctx, struct f2fs_device *dev, uint32_t block_size,
		       const char *path, int force)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (force ? O_TRUNC : O_EXCL), 0666);
	int rc;

	if (fd < 0) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		return -1;
	}
	rc = f2fs_device_save_sparse(dev, block_size, cli_write_fd, &fd);
	if (rc)
		cli_error_of(cli, ctx, path);
	if (!rc && fsync(fd) != 0 && errno != EINVAL) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		rc = -1;
	}
	if (close(fd) != 0 && !rc) {
		cli_error(cli, "%s: %s", path, strerror(errno));
		rc = -1;
	}
	if (rc)
		unlink(path);
	return rc ? -1 : 0;
}
