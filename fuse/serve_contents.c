/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Requests about contents: reading, writing, space, holes, and making them durable.
 */

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuse/access_times.h"
#include "fuse/atomic_file.h"
#include "fuse/caller_memory.h"
#include "fuse/direct_read.h"
#include "fuse/guard.h"
#include "fuse/known_inodes.h"
#include "fuse/mount.h"
#include "fuse/mounted.h"
#include "fuse/quota_guard.h"
#include "fuse/serve.h"

enum { COPY_BYTES = 1 << 20 };

/* Read an open inode, with blocks that wait to be written atomically. */
static int read_contents(struct mount *m, struct known *k, uint64_t offset, char *to, size_t size, size_t *done)
{
	return atomic_is_on(m, k) ? atomic_read(m, k, offset, to, size, done)
				  : f2fs_inode_read(k->inode, offset, to, size, done);
}

static void read_(fuse_req_t req, fuse_ino_t number, size_t size, off_t offset, struct fuse_file_info *fi)
{
	char *buffer = NULL;
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode;
	struct known *k;
	size_t done = 0;
	const enum direct_answer answer = direct_read(m, req, number, (uint64_t)offset, size, &buffer, &done);
	int err = 0, code;

	(void)fi;
	if (answer == DIRECT_NONE && !buffer && (buffer = malloc(size + !size)) == NULL)
		err = F2FS_ERR_NOMEM;
	if (!err && answer == DIRECT_NONE)
		err = known_open_number(m, number, &k, &inode);
	if (!err && answer == DIRECT_NONE)
		err = read_contents(m, k, (uint64_t)offset, buffer, size, &done);
	if (!err && known_open_number(m, number, NULL, &inode) == 0)
		access_note(m, inode);
	code = mount_errno(m, err);
	mount_leave(m);
	if (answer == DIRECT_SENT)
		return;
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_buf(req, buffer, done);
	free(buffer);
}

/* May bytes be written from an offset on? If the kernel gathers writes, whole pages come, so any may be appended to. */
static int may_write(const struct mount *m, struct f2fs_inode *inode, uint64_t offset)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(inode, &st);

	return err ? err : guard_flags(&st, offset >= st.size || m->gathers_writes);
}

/* Write as much as there is room for: all of it, or less, as write(2) may. Fails when nothing fits. */
static int write_some(struct mount *m, struct f2fs_inode *inode, uint64_t offset, const char *data, size_t *size)
{
	size_t piece = *size, done = 0;
	int err = 0;

	while (done < *size) {
		const size_t n = piece < *size - done ? piece : *size - done;

		err = f2fs_inode_write(inode, offset + done, data + done, n);
		if (!err)
			done += n;
		else if (err == F2FS_ERR_NOSPC && n > m->block_size &&
			 f2fs_volume_transaction(m->vol) != F2FS_TRANSACTION_FAILED)
			piece = n / 2;
		else
			break;
	}
	*size = done;
	return done && f2fs_volume_transaction(m->vol) != F2FS_TRANSACTION_FAILED ? 0 : err;
}

/* Write as much as the owner's quota has room for: all of it, or less. */
static int write_within_quota(struct mount *m, uid_t caller, struct f2fs_inode *inode, uint64_t offset,
			      const char *data, size_t *size)
{
	int err = quota_guard_range(m, caller, inode, offset, *size);

	while (err == MOUNT_QUOTA && *size > m->block_size) {
		*size /= 2;
		err = quota_guard_range(m, caller, inode, offset, *size);
	}
	return err ? err : write_some(m, inode, offset, data, size);
}

/* The kernel's number where the contents of a file cannot change: sealed by fs-verity, or compressed and released. */
static int change_errno(struct mount *m, int err)
{
	return err == F2FS_ERR_ACCESS ? EPERM : mount_errno(m, err);
}

static void write_(fuse_req_t req, fuse_ino_t number, const char *data, size_t size, off_t offset,
		   struct fuse_file_info *fi)
{
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode;
	struct known *k = NULL;
	int err = known_open_number(m, number, &k, &inode), code;

	(void)fi;
	if (!err)
		err = may_write(m, inode, (uint64_t)offset);
	if (!err && atomic_is_on(m, k))
		err = atomic_write(m, k, (uint64_t)offset, data, size);
	else if (!err && size > 0)
		err = write_within_quota(m, fuse_req_ctx(req)->uid, inode, (uint64_t)offset, data, &size);
	if (k)
		known_change(m, k);
	m->written_bytes += err ? 0 : size;
	m->write_requests++;
	code = change_errno(m, err);
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_write(req, size);
}

/* Sync a file by the chain of its nodes, if recovery can restore it so. Sync anything else by a checkpoint. */
static void fsync_(fuse_req_t req, fuse_ino_t number, int only_data, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter(req);
	struct f2fs_inode *inode;
	int err = m->is_broken ? F2FS_ERR_STATE : known_open_number(m, number, NULL, &inode), code;

	(void)fi;
	if (!err && !m->options.is_read_only)
		err = f2fs_fsync(inode, only_data ? F2FS_FSYNC_DATA : 0);
	if (f2fs_volume_transaction(m->vol) == F2FS_TRANSACTION_NONE)
		m->changed_ns = 0;
	code = mount_errno(m, err);
	mount_leave(m);
	fuse_reply_err(req, code);
}

static void fallocate_(fuse_req_t req, fuse_ino_t number, int mode, off_t offset, off_t length,
		       struct fuse_file_info *fi)
{
	const int all = F2FS_FALLOCATE_KEEP_SIZE | F2FS_FALLOCATE_PUNCH_HOLE | F2FS_FALLOCATE_COLLAPSE_RANGE |
			F2FS_FALLOCATE_ZERO_RANGE | F2FS_FALLOCATE_INSERT_RANGE;
	struct mount *m = mount_enter_to_change(req);
	struct f2fs_inode *inode;
	struct known *k = NULL;
	int err = known_open_number(m, number, &k, &inode), code;

	(void)fi;
	if (!err && (mode & ~all || atomic_is_on(m, k)))
		err = F2FS_ERR_UNSUPPORTED;
	if (!err)
		err = guard_inode(inode, !(mode & ~F2FS_FALLOCATE_KEEP_SIZE));
	if (!err && !(mode & ~(F2FS_FALLOCATE_KEEP_SIZE | F2FS_FALLOCATE_ZERO_RANGE)))
		err = quota_guard_range(m, fuse_req_ctx(req)->uid, inode, (uint64_t)offset, (uint64_t)length);
	if (!err)
		err = f2fs_fallocate(inode, (unsigned)mode, (uint64_t)offset, (uint64_t)length);
	if (k)
		known_change(m, k);
	code = mount_errno(m, err);
	mount_leave(m);
	fuse_reply_err(req, code);
}

static int is_hole(const struct f2fs_file_extent *extent)
{
	return extent->kind == F2FS_EXTENT_HOLE || extent->kind == F2FS_EXTENT_RESERVED;
}

/* Find the first place from *offset on that is a hole, or data. The end of the file counts as a hole. */
static int seek(struct mount *m, struct f2fs_inode *inode, int wants_hole, uint64_t *offset)
{
	struct f2fs_stat st;
	int err = f2fs_inode_stat(inode, &st);

	while (!err && *offset < st.size) {
		struct f2fs_file_extent extent;

		err = f2fs_inode_extent(inode, *offset / m->block_size, &extent);
		if (err == F2FS_ERR_NOT_FOUND) { /* nothing but a hole up to the end */
			err = 0;
			if (!wants_hole)
				*offset = st.size;
			break;
		}
		if (err || is_hole(&extent) == wants_hole)
			break;
		*offset = (extent.file_block + extent.count) * m->block_size;
	}
	if (!err && wants_hole && *offset > st.size)
		*offset = st.size;
	return err;
}

static void lseek_(fuse_req_t req, fuse_ino_t number, off_t offset, int whence, struct fuse_file_info *fi)
{
	struct mount *m = mount_enter(req);
	uint64_t at = (uint64_t)offset;
	struct f2fs_inode *inode;
	struct f2fs_stat st;
	int err = known_open_number(m, number, NULL, &inode), code;

	(void)fi;
	if (!err)
		err = f2fs_inode_stat(inode, &st);
	if (!err && at < st.size)
		err = seek(m, inode, whence == SEEK_HOLE, &at);
	code = mount_errno(m, err);
	if (!code && (offset < 0 || (uint64_t)offset >= st.size || (whence == SEEK_DATA && at >= st.size)))
		code = ENXIO;
	mount_leave(m);
	if (code)
		fuse_reply_err(req, code);
	else
		fuse_reply_lseek(req, (off_t)at);
}

/* A copy between files. */
struct copying {
	fuse_ino_t from, to;
	uint64_t from_offset, to_offset;
	size_t length, done;
};

/* Copy a piece under one lock. Returns an errno. *done does not grow at the end of the source file. */
static int copy_piece(fuse_req_t req, struct copying *c, char *buffer)
{
	const size_t want = c->length - c->done < COPY_BYTES ? c->length - c->done : COPY_BYTES;
	struct mount *m = mount_enter_to_change(req);
	struct known *k_from, *k = NULL;
	struct f2fs_inode *from, *to;
	size_t got = 0;
	int err = known_open_number(m, c->from, &k_from, &from), code;

	if (!err)
		err = known_open_number(m, c->to, &k, &to);
	if (!err && atomic_is_on(m, k))
		err = F2FS_ERR_UNSUPPORTED;
	if (!err)
		err = read_contents(m, k_from, c->from_offset + c->done, buffer, want, &got);
	if (!err)
		err = may_write(m, to, c->to_offset + c->done);
	if (!err)
		err = quota_guard_range(m, fuse_req_ctx(req)->uid, to, c->to_offset + c->done, got);
	if (!err && got > 0)
		err = f2fs_inode_write(to, c->to_offset + c->done, buffer, got);
	if (k)
		known_change(m, k);
	code = mount_errno(m, err);
	mount_leave(m);
	if (!code)
		c->done += got;
	return code;
}

static void copy_file_range_(fuse_req_t req, fuse_ino_t from, off_t from_offset, struct fuse_file_info *from_fi,
			     fuse_ino_t to, off_t to_offset, struct fuse_file_info *to_fi, size_t length, int flags)
{
	struct copying c = { .from = from,
			     .to = to,
			     .from_offset = (uint64_t)from_offset,
			     .to_offset = (uint64_t)to_offset,
			     .length = length < INT32_MAX ? length : INT32_MAX };
	char *buffer = malloc(COPY_BYTES);
	int code = buffer ? 0 : ENOMEM;
	size_t before;

	(void)from_fi;
	(void)to_fi;
	(void)flags;
	do {
		before = c.done;
		if (!code)
			code = copy_piece(req, &c, buffer);
	} while (!code && c.done > before && c.done < c.length);
	free(buffer);
	if (code && c.done == 0)
		fuse_reply_err(req, code);
	else
		fuse_reply_write(req, c.done);
}

void serve_contents(struct fuse_lowlevel_ops *ops)
{
	ops->read = read_;
	ops->write = write_;
	ops->fsync = fsync_;
	ops->fsyncdir = fsync_;
	ops->fallocate = fallocate_;
	ops->lseek = lseek_;
	ops->copy_file_range = copy_file_range_;
}
