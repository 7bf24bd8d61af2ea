/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Calls on files under macOS. */
#include "host/files.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* fsync(2) leaves the bytes in the cache of the drive. */
int host_flush(int fd)
{
	return fcntl(fd, F_FULLFSYNC) == 0 ? 0 : fsync(fd);
}

int host_reserve(int fd, off_t size)
{
	fstore_t store = { .fst_flags = F_ALLOCATEALL, .fst_posmode = F_PEOFPOSMODE };
	struct stat st;

	if (fstat(fd, &st))
		return -1;
	store.fst_length = size - (off_t)st.st_blocks * 512;
	if (store.fst_length > 0 && fcntl(fd, F_PREALLOCATE, &store) == -1)
		return -1;
	return st.st_size < size ? ftruncate(fd, size) : 0;
}

int host_punch(int fd, off_t offset, off_t length)
{
	fpunchhole_t hole = { .fp_offset = offset, .fp_length = length };

	return fcntl(fd, F_PUNCHHOLE, &hole) == -1 ? -1 : 0;
}

struct timespec host_atime(const struct stat *st)
{
	return st->st_atimespec;
}

struct timespec host_mtime(const struct stat *st)
{
	return st->st_mtimespec;
}

/* Only macOS 13 and later have mknodat(). */
int host_mknod(int dir, const char *name, mode_t mode, dev_t device)
{
	const int here = open(".", O_RDONLY | O_CLOEXEC);
	int rc = -1, why;

	if (here >= 0 && fchdir(dir) == 0) {
		rc = (mode & S_IFMT) == S_IFIFO ? mkfifo(name, mode & 07777) : mknod(name, mode, device);
		why = errno;
		if (fchdir(here) == 0)
			errno = why;
		else
			rc = -1;
	}
	why = errno;
	if (here >= 0)
		close(here);
	errno = why;
	return rc;
}
