/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * For LD_PRELOAD: reads of a program from the files of $WRONG_FILES (paths with colons between) go wrong from the
 * $WRONG_N-th on, as $WRONG_HOW says:
 *
 *	once    that read fails with EIO
 *	part    it fails, but half of the buffer is overwritten
 *	short   it returns half, as read(2) may
 *	end     it returns nothing, as at the end of a file
 *	place   all that touch its place fail from then on
 *	all     all that follow fail
 *	zeros   the place reads as zeros (zeros-once: that read alone)
 *	stale   the place reads as in the older file of $WRONG_OLDER (stale-once: that read alone)
 *
 * The file $WRONG_COUNT, of eight bytes, counts reads. A program sees one processor, so that it reads in one order.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum { MOST_FILES = 4 };

typedef ssize_t (*preadv_fn)(int fd, const struct iovec *iov, int count, off64_t offset);
typedef ssize_t (*read_fn)(int fd, void *bytes, size_t length);

static struct {
	preadv_fn preadv;
	read_fn read;
	unsigned count;
	struct stat files[MOST_FILES];
	int older[MOST_FILES];
	const char *how;
	uint64_t n;
	_Atomic uint64_t *reads;
	_Atomic uint64_t own; /* where nobody asks for the count */
	/* place of the first wrong read: file, bytes */
	unsigned file;
	off64_t at, end;
} now;

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value ? value : "";
}

/* The next of the paths in a list; NULL at its end. */
static const char *next_path(const char **list, char path[4096])
{
	const size_t length = strcspn(*list, ":");

	if (length == 0 || length >= 4096)
		return NULL;
	memcpy(path, *list, length);
	path[length] = 0;
	*list += length + ((*list)[length] == ':');
	return path;
}

__attribute__((constructor)) static void start(void)
{
	const char *files = env("WRONG_FILES"), *older = env("WRONG_OLDER");
	char path[4096];
	int fd;

	*(void **)&now.preadv = dlsym(RTLD_NEXT, "preadv64");
	*(void **)&now.read = dlsym(RTLD_NEXT, "read");
	now.how = env("WRONG_HOW");
	now.n = strtoull(env("WRONG_N"), NULL, 10);
	now.reads = &now.own;
	for (; now.count < MOST_FILES && next_path(&files, path); now.count++) {
		if (stat(path, &now.files[now.count]) != 0)
			abort();
		now.older[now.count] = next_path(&older, path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	}
	fd = open(env("WRONG_COUNT"), O_RDWR | O_CLOEXEC);
	if (fd >= 0) {
		void *map = mmap(NULL, sizeof(*now.reads), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (map != MAP_FAILED)
			now.reads = map;
		close(fd);
	}
}

/* Which of the files it is; as many as there are: none. */
static unsigned which(int fd)
{
	const int before = errno;
	struct stat st;
	unsigned i;

	if (now.count == 0 || fstat(fd, &st) != 0) {
		errno = before;
		return now.count;
	}
	for (i = 0; i < now.count; i++)
		if (st.st_dev == now.files[i].st_dev && st.st_ino == now.files[i].st_ino)
			break;
	return i;
}

static int says(const char *how)
{
	return strcmp(now.how, how) == 0;
}

static size_t length_of(const struct iovec *iov, int count)
{
	size_t length = 0;

	for (int i = 0; i < count; i++)
		length += iov[i].iov_len;
	return length;
}

/* Does this read go wrong? */
static int is_wrong(unsigned file, off64_t at, off64_t end)
{
	const uint64_t number = atomic_fetch_add(now.reads, 1) + 1;

	if (now.n == 0 || number < now.n)
		return 0;
	if (number == now.n) {
		now.file = file;
		now.at = at;
		now.end = end;
		return 1;
	}
	if (says("all"))
		return 1;
	return (says("place") || says("zeros") || says("stale")) && file == now.file && at < now.end && end > now.at;
}

static void fill(const struct iovec *iov, int count, int byte)
{
	for (int i = 0; i < count; i++)
		memset(iov[i].iov_base, byte, iov[i].iov_len);
}

static ssize_t fail(void)
{
	errno = EIO;
	return -1;
}

static ssize_t go_wrong(unsigned file, int fd, const struct iovec *iov, int count, off64_t offset)
{
	const size_t length = length_of(iov, count);

	if (says("short")) {
		struct iovec half = iov[0];

		half.iov_len = (half.iov_len + 1) / 2;
		return now.preadv(fd, &half, 1, offset);
	}
	if (says("end"))
		return 0;
	if (says("part"))
		fill(iov, (count + 1) / 2, 0x55);
	if (says("zeros") || says("zeros-once"))
		fill(iov, count, 0);
	else if (says("stale") || says("stale-once"))
		return now.preadv(now.older[file], iov, count, offset);
	else
		return fail();
	return (ssize_t)length;
}

ssize_t preadv64(int fd, const struct iovec *iov, int count, off64_t offset)
{
	const unsigned file = which(fd);

	if (file == now.count || !is_wrong(file, offset, offset + (off64_t)length_of(iov, count)))
		return now.preadv(fd, iov, count, offset);
	return go_wrong(file, fd, iov, count, offset);
}

ssize_t pread64(int fd, void *bytes, size_t length, off64_t offset)
{
	return preadv64(fd, &(struct iovec){ bytes, length }, 1, offset);
}

ssize_t read(int fd, void *bytes, size_t length)
{
	const unsigned file = which(fd);
	const struct iovec iov = { bytes, length };
	off64_t at;
	ssize_t n;

	if (file == now.count)
		return now.read(fd, bytes, length);
	at = lseek64(fd, 0, SEEK_CUR);
	if (!is_wrong(file, at, at + (off64_t)length))
		return now.read(fd, bytes, length);
	n = go_wrong(file, fd, &iov, 1, at);
	if (n > 0)
		lseek64(fd, at + n, SEEK_SET);
	return n;
}

long sysconf(int name)
{
	static long (*next)(int);

	if (name == _SC_NPROCESSORS_ONLN)
		return 1;
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "sysconf");
	return next(name);
}
