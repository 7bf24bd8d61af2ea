/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Commands that make ordinary calls on files: sizes, ranges, syncs, copies, names. gc_urgent writes to sysfs.
 */
#include "mounted/io_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/size.h"
#include "mounted/kernel_calls.h"

enum { PIECE = 4096, COPY_DIRECT = 1, COPY_MAP = 2, COPY_SEND = 4, SECONDS_MAX = 1000000 };

struct word {
	const char *name;
	int value;
};

/* Find an operand in a table that ends with an empty name. Returns 0, or -1 after a message. */
static int take_word(const struct io_call *call, int operand, const struct word *words, int *value)
{
	for (; words->name; words++)
		if (!strcmp(words->name, call->words[operand])) {
			*value = words->value;
			return 0;
		}
	return io_refuse(call, call->words[operand], "is not a word of this command");
}

int io_fsync(struct io_call *call)
{
	const uint64_t start = io_now();

	if (fsync(call->fd))
		return io_fail(call, "fsync");
	printf("fsync total_time = %" PRIu64 " us\n", io_now() - start);
	return 0;
}

int io_fdatasync(struct io_call *call)
{
	if (fdatasync(call->fd))
		return io_fail(call, "fdatasync");
	printf("fdatasync a file\n");
	return 0;
}

int io_fadvise(struct io_call *call)
{
	static const struct word advices[] = {
		{ "willneed", POSIX_FADV_WILLNEED },
		{ "dontneed", POSIX_FADV_DONTNEED },
		{ "noreuse", POSIX_FADV_NOREUSE },
		{ "sequential", POSIX_FADV_SEQUENTIAL },
		{ "random", POSIX_FADV_RANDOM },
		{ NULL, 0 },
	};
	uint64_t offset, length;
	int advice;

	if (take_word(call, 0, advices, &advice) || io_number(call, 1, 0, INT64_MAX, &offset) ||
	    io_number(call, 2, 0, INT64_MAX, &length))
		return -1;
	errno = posix_fadvise(call->fd, (off_t)offset, (off_t)length, advice);
	if (errno)
		return io_fail(call, "fadvise");
	printf("fadvice %s to a file: %s\n", call->words[0], call->path);
	return 0;
}

int io_fallocate(struct io_call *call)
{
	static const int modes[] = { FALLOC_FL_COLLAPSE_RANGE, FALLOC_FL_INSERT_RANGE, FALLOC_FL_PUNCH_HOLE,
				     FALLOC_FL_ZERO_RANGE }; /* as the letters */
	uint64_t keep, offset, length;
	struct stat st;
	int mode = 0;

	if (io_number(call, 0, 0, 1, &keep) || io_number(call, 1, 0, INT64_MAX, &offset) ||
	    io_number(call, 2, 0, INT64_MAX, &length))
		return -1;
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		mode |= call->letters & 1U << i ? modes[i] : 0;
	if (fallocate(call->fd, mode | (keep ? FALLOC_FL_KEEP_SIZE : 0), (off_t)offset, (off_t)length))
		return io_fail(call, "fallocate");
	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	printf("fallocated a file: i_size=%" PRIu64 ", i_blocks=%" PRIu64 "\n", (uint64_t)st.st_size,
	       (uint64_t)st.st_blocks);
	return 0;
}

int io_ftruncate(struct io_call *call)
{
	uint64_t length;

	if (io_number(call, 0, 0, INT64_MAX, &length))
		return -1;
	return ftruncate(call->fd, (off_t)length) ? io_fail(call, "ftruncate") : 0;
}

int io_lseek(struct io_call *call)
{
	static const struct word whences[] = {
		{ "set", SEEK_SET },   { "cur", SEEK_CUR },   { "end", SEEK_END },
		{ "data", SEEK_DATA }, { "hole", SEEK_HOLE }, { NULL, 0 },
	};
	const char *why;
	int64_t offset;
	off_t found;
	int whence;

	if (take_word(call, 0, whences, &whence))
		return -1;
	why = cli_parse_s64(call->words[1], &offset);
	if (why)
		return io_refuse(call, call->words[1], why);
	found = lseek(call->fd, (off_t)offset, whence);
	if (found < 0)
		return io_fail(call, "lseek");
	printf("returned offset=%" PRId64 "\n", (int64_t)found);
	return 0;
}

int io_rename(struct io_call *call)
{
	uint64_t durable;

	call->path = call->words[0];
	if (io_number(call, 2, 0, 1, &durable) || (durable && io_open(call, call->path, O_WRONLY)))
		return -1;
	if (rename(call->words[0], call->words[1]))
		return io_fail(call, "rename");
	return durable && fsync(call->fd) ? io_fail(call, "fsync") : 0;
}

static int write_all(const struct io_call *call, int to, const char *bytes, size_t count)
{
	while (count) {
		const ssize_t n = write(to, bytes, count);

		if (n < 0)
			return io_fail(call, "write");
		bytes += n;
		count -= (size_t)n;
	}
	return 0;
}

static int copy_mapped(const struct io_call *call, int to)
{
	struct stat st;
	void *bytes;
	int rc;

	if (fstat(call->fd, &st))
		return io_fail(call, "fstat");
	if (!st.st_size)
		return 0;
	bytes = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, call->fd, 0);
	if (bytes == MAP_FAILED)
		return io_fail(call, "mmap");
	rc = write_all(call, to, bytes, (size_t)st.st_size);
	munmap(bytes, (size_t)st.st_size);
	return rc;
}

static int copy_sent(const struct io_call *call, int to)
{
	ssize_t n;

	do
		n = sendfile(to, call->fd, NULL, INT_MAX);
	while (n > 0);
	return n < 0 ? io_fail(call, "sendfile") : 0;
}

static int copy_read(const struct io_call *call, int to)
{
	char *piece = aligned_alloc(PIECE, PIECE);
	ssize_t n;
	int rc = 0;

	if (!piece)
		return io_fail(call, "memory for a block");
	while (!rc && (n = read(call->fd, piece, PIECE)) != 0)
		rc = n < 0 ? io_fail(call, "read") : write_all(call, to, piece, (size_t)n);
	free(piece);
	return rc;
}

/* Open the target of a copy, and empty it unless it is the source. */
static int open_target(struct io_call *call, const char *path, int flags)
{
	struct stat from, st;
	const int to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644);

	if (to >= 0 && fstat(call->fd, &from) == 0 && fstat(to, &st) == 0) {
		if (from.st_dev == st.st_dev && from.st_ino == st.st_ino) {
			close(to);
			return io_refuse(call, path, "is the source itself");
		}
		if (!S_ISREG(st.st_mode) || ftruncate(to, 0) == 0)
			return to;
	}
	call->path = path;
	(void)io_fail(call, "open");
	if (to >= 0)
		close(to);
	return -1;
}

int io_copy(struct io_call *call)
{
	const int direct = call->letters & COPY_DIRECT ? O_DIRECT : 0;
	int rc, to;

	if ((call->letters & COPY_MAP) && (call->letters & COPY_SEND))
		return io_refuse(call, "-m -s", "cannot be given together");
	if (direct && fcntl(call->fd, F_SETFL, O_DIRECT))
		return io_fail(call, "O_DIRECT");
	to = open_target(call, call->words[1], direct);
	if (to < 0)
		return -1;
	rc = (call->letters & COPY_MAP ? copy_mapped : call->letters & COPY_SEND ? copy_sent : copy_read)(call, to);
	if (close(to) && !rc)
		rc = io_fail(call, "close");
	return rc;
}

/* Switch urgent collection of a device on or off. */
static int set_urgent(struct io_call *call, const char *value)
{
	char path[64 + NAME_MAX];
	const char *slash = strrchr(call->words[0], '/'), *name = slash ? slash + 1 : call->words[0];
	ssize_t n;

	if (snprintf(path, sizeof(path), "/sys/fs/f2fs/%s/gc_urgent", name) >= (int)sizeof(path))
		return io_refuse(call, call->words[0], "is not the name of a device");
	call->path = call->words[0];
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return io_fail(call, "open of gc_urgent in /sys/fs/f2fs");
	n = write(fd, value, 1);
	close(fd);
	return n == 1 ? 0 : io_fail(call, "write to gc_urgent");
}

int io_gc_urgent(struct io_call *call)
{
	static const struct word verbs[] = { { "start", 1 }, { "end", 0 }, { "run", 2 }, { NULL, 0 } };
	const char *device = call->words[0];
	uint64_t seconds;
	int verb;

	if (take_word(call, 1, verbs, &verb))
		return -1;
	if ((verb == 2) != (call->count == 3))
		return io_refuse(call, call->words[1], verb == 2 ? "needs SECONDS" : "takes no SECONDS");
	if (verb != 2) {
		if (set_urgent(call, verb ? "1" : "0"))
			return -1;
		printf("gc_urgent: %s on %s\n", call->words[1], device);
		return 0;
	}
	if (io_number(call, 2, 0, SECONDS_MAX, &seconds) || set_urgent(call, "1"))
		return -1;
	printf("gc_urgent: start on %s for %" PRIu64 " secs\n", device, seconds);
	fflush(stdout);
	sleep((unsigned)seconds); /* a signal ends it early */
	if (set_urgent(call, "0"))
		return -1;
	printf("gc_urgent: end on %s for %" PRIu64 " secs\n", device, seconds);
	return 0;
}
