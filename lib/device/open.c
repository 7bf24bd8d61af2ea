/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Open and create by path: hand the descriptor to the code for regular files or for block devices. Refuse other types
 * (directories, pipes, character devices) by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "device/block.h"
#include "device/file.h"
#include "device/hostid.h"
#include "device/inuse.h"
#include "device/lock.h"
#include "device/open.h"
#include "host/disks.h"

static int refuse_kind(struct f2fs_context *ctx, const char *path, mode_t mode)
{
	if (S_ISDIR(mode))
		return error_set(ctx, F2FS_ERR_IS_DIR, "%s is a directory", path);
	return error_set(ctx, F2FS_ERR_INVALID, "%s is neither a regular file nor a block device", path);
}

static int open_retry(const char *path, int flags, mode_t mode)
{
	int fd;

	do
		fd = open(path, flags | O_CLOEXEC | O_NOCTTY, mode);
	while (fd < 0 && errno == EINTR);
	if (fd >= 0 && fd <= STDERR_FILENO) { /* closed by a caller: its output must not go into the image */
		const int standard = fd;

		fd = fcntl(standard, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		close(standard);
	}
	return fd;
}

/* What opening returns when another file has got the name meanwhile: try again with that one. */
enum { REPLACED = 1, TRIES = 8 };

/*
 * Read the size of a regular file again, now that it is locked. Before the lock another program may have written it, or
 * replaced it: then the lock is on a file that is gone.
 */
static int look_again(struct f2fs_context *ctx, const char *path, int fd, unsigned flags, struct stat *st)
{
	struct stat named;

	if (fstat(fd, st) != 0)
		return error_sys(ctx, errno, "cannot examine %s", path);
	if (!S_ISREG(st->st_mode) || !(flags & F2FS_OPEN_WRITE) || (flags & F2FS_OPEN_NO_LOCK))
		return 0;
	return stat(path, &named) == 0 && named.st_dev == st->st_dev && named.st_ino == st->st_ino ? 0 : REPLACED;
}

typedef int (*opener)(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags,
		      struct f2fs_device **out);

/* Open a file until it is the one of that name. */
static int open_current(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags, opener open_once,
			struct f2fs_device **out)
{
	int rc = REPLACED;

	for (unsigned i = 0; i < TRIES && rc == REPLACED; i++)
		rc = open_once(ctx, path, size, flags, out);
	if (rc == REPLACED)
		return error_set(ctx, F2FS_ERR_BUSY, "%s is replaced by another file again and again", path);
	return rc;
}

/* Lock a file for a writer. A reader notes that another program writes it, or is refused when it must not change. */
static int lock_regular(struct f2fs_context *ctx, const char *path, int fd, unsigned flags, char who[LOCK_TEXT])
{
	who[0] = 0;
	if (flags & F2FS_OPEN_WRITE)
		return flags & F2FS_OPEN_NO_LOCK ? 0 : lock_take(ctx, path, fd);
	if (!lock_is_held(fd, who) || !(flags & F2FS_OPEN_EXCLUSIVE) || (flags & F2FS_OPEN_NO_LOCK))
		return 0;
	return error_set(ctx, F2FS_ERR_BUSY, "%s is in use by %s", path, who);
}

/*
 * Lock the file of a loop device as if it were opened itself: others may write the same bytes there, or through another
 * loop device. *fd: the descriptor with the lock of a writer, -1 when there is none.
 */
static int lock_backing(struct f2fs_context *ctx, const struct stat *st, unsigned flags, int *fd)
{
	char path[PATH_MAX], who[LOCK_TEXT];
	struct stat backing;
	int rc;

	*fd = -1;
	if (!inuse_backing(&inuse_here, st->st_rdev, path, sizeof(path)) || stat(path, &backing) != 0 ||
	    !S_ISREG(backing.st_mode))
		return 0;
	*fd = open_retry(path, flags & F2FS_OPEN_WRITE ? O_RDWR : O_RDONLY, 0);
	if (*fd < 0)
		return 0;
	rc = lock_regular(ctx, path, *fd, flags, who);
	if (rc != 0 || !(flags & F2FS_OPEN_WRITE)) {
		close(*fd);
		*fd = -1;
	}
	return rc;
}

static int make_block(struct f2fs_context *ctx, const char *path, int fd, const struct stat *st, unsigned flags,
		      struct f2fs_device **out)
{
	int backing, rc = lock_backing(ctx, st, flags, &backing);

	if (rc != 0)
		return rc;
	rc = block_make_device(ctx, path, fd, flags & F2FS_OPEN_WRITE ? F2FS_DEVICE_WRITE : 0, backing, out);
	if (rc != 0 && backing >= 0)
		close(backing);
	return rc;
}

static int make_regular(struct f2fs_context *ctx, const char *path, int fd, struct stat *st, unsigned flags,
			struct f2fs_device **out)
{
	const uint32_t caps = flags & F2FS_OPEN_WRITE ? F2FS_DEVICE_WRITE : 0;
	char who[LOCK_TEXT];
	int rc = lock_regular(ctx, path, fd, flags, who);

	if (rc == 0)
		rc = look_again(ctx, path, fd, flags, st);
	if (rc == 0)
		rc = file_make_device(ctx, path, fd, (uint64_t)st->st_size, caps, out);
	if (rc != 0 || !who[0])
		return rc;
	(*out)->writer = mem_strdup(ctx, who);
	if ((*out)->writer)
		return 0;
	/* the descriptor is the caller's again, which closes it */
	hostfile_leave((*out)->self);
	mem_free(ctx, (*out)->self);
	(*out)->ops.close = NULL;
	f2fs_device_close(*out);
	return F2FS_ERR_NOMEM;
}

static int make_device(struct f2fs_context *ctx, const char *path, int fd, struct stat *st, unsigned flags,
		       struct f2fs_device **out)
{
	if (S_ISREG(st->st_mode))
		return make_regular(ctx, path, fd, st, flags, out);
	if (host_is_disk(st))
		return make_block(ctx, path, fd, st, flags, out);
	return refuse_kind(ctx, path, st->st_mode);
}

static int open_once(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags,
		     struct f2fs_device **out)
{
	const bool writable = (flags & F2FS_OPEN_WRITE) != 0;
	struct stat st;
	int mode = writable ? O_RDWR : O_RDONLY;
	int fd;
	int rc;

	(void)size; /* it has one */
	if (stat(path, &st) != 0)
		return error_sys(ctx, errno, "cannot open %s", path);
	/* Before open(2), which would wait for the other end of a pipe. */
	if (!S_ISREG(st.st_mode) && !host_is_disk(&st))
		return refuse_kind(ctx, path, st.st_mode);
	if (flags & F2FS_OPEN_EXCLUSIVE) {
		rc = inuse_refuse(ctx, path, &st, writable ? INUSE_WRITING : INUSE_READING);
		if (rc != 0)
			return rc;
	}
	if (S_ISBLK(st.st_mode) && writable && !(flags & F2FS_OPEN_NO_LOCK))
		mode |= O_EXCL; /* without O_CREAT: the kernel refuses a device that somebody has claimed */
	fd = open_retry(path, mode, 0);
	if (fd < 0 && errno == EBUSY) {
		char who[LOCK_TEXT];

		lock_find_holder(&st, false, who);
		return error_set(ctx, F2FS_ERR_BUSY, "%s is in use by %s", path, who);
	}
	if (fd < 0)
		return error_sys(ctx, errno, "cannot open %s%s", path, writable ? " for writing" : "");
	if (fstat(fd, &st) != 0)
		rc = error_sys(ctx, errno, "cannot examine %s", path);
	else
		rc = make_device(ctx, path, fd, &st, flags, out);
	if (rc != 0)
		close(fd);
	return rc;
}

int device_open_host(struct f2fs_context *ctx, const char *path, unsigned flags, struct f2fs_device **out)
{
	return open_current(ctx, path, 0, flags, open_once, out);
}

int f2fs_device_open(struct f2fs_context *ctx, const char *path, unsigned flags, struct f2fs_device **out)
{
	error_clear(ctx);
	return device_open_host(ctx, path, flags, out);
}

/* Set the size of an open file and make the device; is_new: a file that did not exist before. */
static int size_file(struct f2fs_context *ctx, const char *path, int fd, uint64_t size, bool is_new,
		     struct f2fs_device **out)
{
	while (ftruncate(fd, (off_t)size) != 0)
		if (errno != EINTR)
			return error_sys(ctx, errno, "cannot give %s a size of %llu bytes", path,
					 (unsigned long long)size);
	return file_make_device(ctx, path, fd, size, F2FS_DEVICE_WRITE | (is_new ? F2FS_DEVICE_ZEROED : 0), out);
}

/* Is it still as it was made? Another opener may have been faster; that its file is empty is nobody's work. */
static int check_new(struct f2fs_context *ctx, const char *path, const struct stat *st, unsigned flags, bool *is_new)
{
	if (!S_ISREG(st->st_mode))
		return error_set(ctx, F2FS_ERR_INVALID, "%s has a size of its own", path);
	if (!*is_new || st->st_size == 0)
		return 0;
	*is_new = false;
	return flags & F2FS_OPEN_CREATE ? 0 : error_sys(ctx, EEXIST, "cannot create %s", path);
}

static int create_once(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags,
		       struct f2fs_device **out)
{
	struct stat st;
	bool is_new = true, is_ours;
	int fd;
	int rc;

	fd = open_retry(path, O_RDWR | O_CREAT | O_EXCL, flags & DEVICE_PRIVATE ? 0600 : 0666);
	if (fd < 0 && errno == EEXIST && (flags & F2FS_OPEN_CREATE)) {
		is_new = false;
		if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
			return refuse_kind(ctx, path, st.st_mode);
		if (flags & F2FS_OPEN_EXCLUSIVE) {
			rc = inuse_refuse(ctx, path, &st, INUSE_WRITING);
			if (rc != 0)
				return rc;
		}
		fd = open_retry(path, O_RDWR, 0);
	}
	if (fd < 0)
		return error_sys(ctx, errno, "cannot create %s", path);
	rc = flags & F2FS_OPEN_NO_LOCK ? 0 : lock_take(ctx, path, fd);
	if (rc == 0)
		rc = look_again(ctx, path, fd, flags, &st);
	if (rc == 0)
		rc = check_new(ctx, path, &st, flags, &is_new);
	is_ours = rc == 0 && is_new;
	if (rc == 0)
		rc = size_file(ctx, path, fd, size, is_new, out);
	if (rc != 0 && is_ours)
		unlink(path); /* as long as the lock keeps others from it */
	if (rc != 0)
		close(fd);
	return rc;
}

int device_create(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags, struct f2fs_device **out)
{
	if (size > INT64_MAX)
		return error_set(ctx, F2FS_ERR_TOO_BIG, "cannot create %s with %llu bytes", path,
				 (unsigned long long)size);
	return open_current(ctx, path, size, flags | F2FS_OPEN_WRITE, create_once, out);
}

int f2fs_device_create(struct f2fs_context *ctx, const char *path, uint64_t size, unsigned flags,
		       struct f2fs_device **out)
{
	error_clear(ctx);
	return device_create(ctx, path, size, flags, out);
}
