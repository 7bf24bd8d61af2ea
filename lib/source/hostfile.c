/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Read contents of a file of the host, in large pieces. Holes are found by SEEK_DATA if the host knows them.
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "source/hostfile.h"

#include "base/error.h"
#include "device/hostid.h"

static void begin(struct host_file *file, int fd, const char *bytes)
{
	*file = (struct host_file){ .fd = fd, .bytes = bytes };
}

static int is_the_image(struct source *src)
{
	return error_set(src->ctx, F2FS_ERR_BUSY, "it is the image that is being written");
}

int host_file_open(struct source *src, struct host_file *file, int at, const char *name, int flags)
{
	begin(file, openat(at, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | flags), NULL);
	if (file->fd < 0)
		return error_sys(src->ctx, errno, "cannot open");
	return f2fs_device_is_open(src->ctx, file->fd) ? is_the_image(src) : 0;
}

int host_file_adopt(struct source *src, struct host_file *file, int fd, const char *bytes, const struct stat *st)
{
	begin(file, fd, bytes);
	return hostfile_is_open(src->ctx, st) ? is_the_image(src) : 0;
}

void host_file_holes(const struct source *src, struct host_file *file, const struct stat *st)
{
	file->has_holes = (src->opt.keep & F2FS_KEEP_HOLES) && (uint64_t)st->st_blocks * 512 < (uint64_t)st->st_size;
}

void host_file_again(struct host_file *file)
{
	file->at = file->data_end = 0;
}

void host_file_close(struct host_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
	file->bytes = NULL;
}

/* Find the run of data that holds the next byte or comes after it. Hosts that do not know holes have one run. */
static int find_data(struct source *src, struct host_file *file, uint64_t size)
{
	off_t data, hole;

	file->data_end = size;
	if (!file->has_holes)
		return 0;
	data = lseek(file->fd, (off_t)file->at, SEEK_DATA);
	if (data < 0 && errno == ENXIO) {
		file->at = size;
		return 0;
	}
	hole = data < 0 ? -1 : lseek(file->fd, data, SEEK_HOLE);
	if (hole < 0) {
		if (errno != EINVAL && errno != ENOTSUP)
			return error_sys(src->ctx, errno, "cannot find the holes");
		file->has_holes = false;
		return 0;
	}
	file->at = (uint64_t)data;
	if ((uint64_t)hole < size)
		file->data_end = (uint64_t)hole;
	return 0;
}

int host_file_read(struct source *src, struct host_file *file, struct source_item *item, struct source_chunk *chunk)
{
	uint64_t left;
	ssize_t n;
	int err;

	chunk->length = 0;
	if (file->at >= item->size)
		return 0;
	if (file->bytes) {
		*chunk = (struct source_chunk){ file->bytes, 0, (size_t)item->size };
		file->at = item->size;
		return 0;
	}
	if (file->at >= file->data_end) {
		err = find_data(src, file, item->size);
		if (err)
			return err;
	}
	left = file->at < file->data_end ? file->data_end - file->at : 0;
	if (left == 0)
		return 0;
	if (left > SOURCE_BUFFER)
		left = SOURCE_BUFFER;
	do
		n = src->opt.gives_lengths ? (ssize_t)left
					   : pread(file->fd, src->buffer, (size_t)left, (off_t)file->at);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return error_sys(src->ctx, errno, "cannot read");
	if (n == 0) {
		struct stat st;

		if (fstat(file->fd, &st) != 0 || (uint64_t)st.st_size < item->size)
			return error_set(src->ctx, F2FS_ERR_IO, "the file became shorter while it was read");
		item->size = file->at; /* its size is none, as of files that the host makes up */
	}
	chunk->data = src->buffer;
	chunk->offset = file->at;
	chunk->length = (size_t)n;
	file->at += (uint64_t)n;
	return 0;
}
