/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Map a range of a file under the lock, read it from the image without the lock, and look under the lock whether a
 * checkpoint was written meanwhile. If so, blocks may have been used again, and the library reads the range once
 * more. Large ranges without holes go through a pipe. They are sent under the lock: the pipe refers to pages of the
 * image, and nobody can write the next checkpoint, or blocks that it frees, until the kernel has copied them.
 */

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse/atomic_list.h"
#include "fuse/direct_read.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"

enum { RUNS = 64, LEAST_BYTES = 32768 /* of a read that is worth taking the lock twice */ };

/* A part of the range. */
struct run {
	size_t from, length; /* in the range */
	uint64_t at; /* byte of the image; 0: a hole */
};

struct plan {
	struct run runs[RUNS];
	unsigned count;
	size_t length; /* of the range, cut at the end of the file */
};

/* Are the first bytes of the volume those of the file? */
static int is_plain(struct mount *m, int fd)
{
	const uint32_t size = f2fs_volume_geometry(m->vol)->block_size;
	uint8_t *ours = malloc(size), *its = malloc(size);
	const int same = ours && its && f2fs_block_read(m->vol, 0, 1, ours) == 0 &&
			 pread(fd, its, size, (off_t)m->direct_offset) == (ssize_t)size && !memcmp(ours, its, size);

	free(ours);
	free(its);
	return same;
}

void direct_read_open(struct mount *m, uint64_t offset)
{
	struct stat st;

	m->direct_offset = offset;
	m->direct_fd = open(m->image, O_RDONLY | O_CLOEXEC);
	if (m->direct_fd < 0)
		return;
	if (fstat(m->direct_fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISBLK(st.st_mode)) && is_plain(m, m->direct_fd))
		return;
	direct_read_close(m);
}

void direct_read_close(struct mount *m)
{
	if (m->direct_fd >= 0)
		close(m->direct_fd);
	m->direct_fd = -1;
	image_pipes_close(&m->pipes);
}

/* Does the file stay as it is until the next checkpoint, and are its blocks its contents? */
static int may_read(struct mount *m, const struct known *k, struct f2fs_inode *inode, struct f2fs_stat *st)
{
	return k->changed_in < m->checkpoints && f2fs_inode_stat(inode, st) == 0 && S_ISREG(st->mode) &&
	       !st->is_encrypted && !st->is_compressed && !st->is_inline;
}

/* Finding an extent takes as long as it is, so the last one of each file is kept. */
static int find_extent(struct mount *m, struct known *k, uint64_t block, struct f2fs_file_extent *out)
{
	int err;

	if (k->run_in == m->checkpoints && block >= k->run.file_block && block - k->run.file_block < k->run.count) {
		*out = k->run;
		return 0;
	}
	err = f2fs_inode_extent(k->inode, block, out);
	if (!err) {
		k->run = *out;
		k->run_in = m->checkpoints;
	}
	return err;
}

/* Find the places of a range. Returns 0 if some are not on the image. */
static int map(struct mount *m, struct known *k, uint64_t offset, struct plan *plan)
{
	const uint64_t bs = m->block_size, end = offset + plan->length;

	for (uint64_t at = offset; at < end; plan->count++) {
		struct f2fs_file_extent extent;
		struct run *run = &plan->runs[plan->count];
		uint64_t until;
		int err = plan->count < RUNS ? find_extent(m, k, at / bs, &extent) : F2FS_ERR_RANGE;

		if (err == F2FS_ERR_NOT_FOUND) { /* a hole up to the end */
			extent.kind = F2FS_EXTENT_HOLE;
			until = end;
		} else if (err) {
			return 0;
		} else {
			until = (extent.file_block + extent.count) * bs;
		}
		until = until < end ? until : end;
		*run = (struct run){ .from = (size_t)(at - offset), .length = (size_t)(until - at) };
		if (extent.kind == F2FS_EXTENT_DATA)
			run->at = m->direct_offset + (extent.addr + (at / bs - extent.file_block)) * bs + at % bs;
		else if (extent.kind != F2FS_EXTENT_HOLE && extent.kind != F2FS_EXTENT_RESERVED)
			return 0;
		at = until;
	}
	return 1;
}

static int read_runs(int fd, const struct plan *plan, char *buffer)
{
	for (unsigned i = 0; i < plan->count; i++) {
		const struct run *run = &plan->runs[i];

		if (!run->at)
			memset(buffer + run->from, 0, run->length);
		else if (pread(fd, buffer + run->from, run->length, (off_t)run->at) != (ssize_t)run->length)
			return 0;
	}
	return 1;
}

static enum image_pipe_result fill_runs(int fd, const struct plan *plan, struct image_pipe *pipe)
{
	enum image_pipe_result result = IMAGE_PIPE_FULL;

	for (unsigned i = 0; i < plan->count && result == IMAGE_PIPE_FULL; i++)
		result = image_pipe_fill(pipe, fd, plan->runs[i].at, plan->runs[i].length);
	return result;
}

static int has_hole(const struct plan *plan)
{
	for (unsigned i = 0; i < plan->count; i++)
		if (!plan->runs[i].at)
			return 1;
	return 0;
}

/* Answer with all that is in the pipe. The request is gone, whatever happens. */
static void send_pipe(fuse_req_t req, const struct image_pipe *pipe, size_t length)
{
	struct fuse_bufvec data = FUSE_BUFVEC_INIT(length);

	data.buf[0].flags = FUSE_BUF_IS_FD;
	data.buf[0].fd = pipe->ends[0];
	fuse_reply_data(req, &data, 0);
}

enum direct_answer direct_read(struct mount *m, fuse_req_t req, fuse_ino_t number, uint64_t offset, size_t size,
			       char **buffer, size_t *done)
{
	const uint64_t checkpoints = m->checkpoints;
	struct plan plan = { .count = 0 };
	struct f2fs_inode *inode;
	struct image_pipe *pipe = NULL;
	struct known *k;
	struct f2fs_stat st;
	enum image_pipe_result piped = IMAGE_PIPE_FULL;
	int is_same, is_read;

	if (m->direct_fd < 0 || number >> 32 != SPACE_VOLUME || (size < LEAST_BYTES && !m->options.is_read_only) ||
	    known_open_number(m, number, &k, &inode) != 0 || k->atomic || !may_read(m, k, inode, &st))
		return DIRECT_NONE;
	plan.length = offset < st.size ? (st.size - offset < size ? (size_t)(st.size - offset) : size) : 0;
	if (!map(m, k, offset, &plan))
		return DIRECT_NONE;
	if (plan.length >= LEAST_BYTES && !has_hole(&plan))
		pipe = image_pipe_take(&m->pipes);
	if (!pipe && (*buffer = malloc(size + !size)) == NULL)
		return DIRECT_NONE;
	pthread_mutex_unlock(&m->lock);
	if (pipe)
		piped = fill_runs(m->direct_fd, &plan, pipe);
	is_read = pipe ? piped == IMAGE_PIPE_FULL : read_runs(m->direct_fd, &plan, *buffer);
	pthread_mutex_lock(&m->lock);
	m->is_change = 0;
	*done = plan.length;
	is_same = m->checkpoints == checkpoints;
	m->direct_reads++;
	m->repeated_reads += !is_read || !is_same;
	if (pipe) {
		if (is_read && is_same) {
			send_pipe(req, pipe, plan.length);
			m->spliced_reads++;
		}
		m->pipes.is_on &= piped != IMAGE_PIPE_UNFIT;
		image_pipe_give(pipe);
	}
	return !is_read || !is_same ? DIRECT_NONE : pipe ? DIRECT_SENT : DIRECT_READ;
}
